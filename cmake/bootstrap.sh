# Sourced by ./faultline and ./check: brings a fresh Debian or Ubuntu machine to a built project, and does nothing,
# quickly, when there is nothing to do. In order: Debian packages, torch, configure, build. Each step leaves a stamp
# only when it is complete, so an interrupted one is done again. Everything it says goes to standard error; the full
# log is build/<preset>/build.log.
#
# The caller has set -uo pipefail and `root`; functions here do not count on `-e`, which `if` switches off. Public:
# bootstrap_is_current, bootstrap_build, bootstrap_fuzz_compiler.

# package|why it is needed
readonly bootstrap_packages='
cmake|configures the build
ninja-build|runs the build
g++|compiles (C++20, version 12 or newer)
mold|links
ccache|remembers earlier compilations
libgtest-dev|runs the tests
librapidcheck-dev|properties with shrinking
libbenchmark-dev|the benchmarks
libhwy-dev|vector instructions, chosen at run time
libcli11-dev|reads the command line
libspdlog-dev|log lines and progress
libfmt-dev|formats text
nlohmann-json3-dev|verdicts and workers speak JSON
libsqlite3-dev|campaign results
python3|workers that drive torch.compile and other real compilers
python3-venv|keeps torch in .venv, apart from the system'
readonly bootstrap_fuzz_packages='
clang-19|compiles the fuzz targets
libclang-rt-19-dev|libFuzzer and the sanitizers of clang 19'

# What ./faultline is built from; a folder counts as changed when a file in it is edited, added or removed.
readonly bootstrap_sources=(CMakeLists.txt CMakePresets.json requirements.txt cmake
  taxonomy runtime faults checkers reports labs cli)

bootstrap_say() { printf 'faultline: %s\n' "$*" >&2; }
bootstrap_stop() { bootstrap_say "$@"; exit 2; }

# What the build depends on beside its sources: a change of it is a reason to configure again.
bootstrap_settings() { printf 'TORCH_ROOT=%s FAULTLINE_TORCH=%s' "${TORCH_ROOT:-}" "${FAULTLINE_TORCH:-}"; }

bootstrap_uses_venv() { [[ -z ${TORCH_ROOT:-} && ${FAULTLINE_TORCH:-} != off ]]; }

bootstrap_is_configured() {
  [[ -f $1/configured.stamp && $(<"$1/configured.stamp") == "$(bootstrap_settings)" ]]
}

# True if build/<preset> was built with these settings and no source is newer. One `find`, which stops at its first hit.
bootstrap_is_current() {
  local build=$root/build/$1 stamp=$root/build/$1/built.stamp source sources=()
  [[ -f $stamp ]] && bootstrap_is_configured "$build" || return 1
  if bootstrap_uses_venv && [[ ! -f $root/.venv/faultline.stamp ]]; then return 1; fi
  for source in "${bootstrap_sources[@]}"; do
    if [[ -e $root/$source ]]; then sources+=("$root/$source"); fi
  done
  [[ -z $(find "${sources[@]}" -newer "$stamp" -print -quit 2>&1) ]]
}

# The packages of list $1 ("package|why" a line), one a line.
bootstrap_names() { sed -n 's/|.*//p' <<<"$1"; }

# Those of them that are not installed.
bootstrap_missing() {
  local names have name
  names=$(bootstrap_names "$1")
  have=" $(dpkg-query -W -f='${db:Status-Abbrev}${Package}\n' $names 2>/dev/null | sed -n 's/^ii *//p' | tr '\n' ' ')"
  for name in $names; do
    if [[ $have != *" $name "* ]]; then echo "$name"; fi
  done
}

bootstrap_apt() {
  local run=()
  if ((EUID != 0)); then run=(sudo -n); fi
  "${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" \
    </dev/null >>"$root/build/setup.log" 2>&1
}

# Asks the lists that are there, and fetches them only if they do not know.
bootstrap_apt_has() {
  [[ -n $(apt-cache madison "$1" 2>/dev/null) ]] && return
  bootstrap_apt update || true
  [[ -n $(apt-cache madison "$1" 2>/dev/null) ]]
}

bootstrap_may_install() { ((EUID == 0)) || sudo -n true 2>/dev/null; }

# Installs what is missing of list $1; stops with one line that says what to type if it may not.
bootstrap_install() {
  local list=$1 missing name
  if [[ ${FAULTLINE_INSTALL:-} == off ]]; then return; fi
  if ! command -v dpkg-query >/dev/null; then
    missing=$(bootstrap_names "$list")
    bootstrap_stop "this is no Debian or Ubuntu; install the equivalents of these and set FAULTLINE_INSTALL=off:" \
      "${missing//$'\n'/ }"
  fi
  missing=$(bootstrap_missing "$list")
  if [[ -z $missing ]]; then return; fi
  if ! bootstrap_may_install; then
    bootstrap_stop "packages are missing and this user may not install them; type:" \
      "sudo apt-get install -y ${missing//$'\n'/ }"
  fi
  for name in $missing; do
    bootstrap_say "installing $name: $(sed -n "s/^$name|//p" <<<"$list")"
  done
  : >"$root/build/setup.log"
  # Without a list of packages the install fails and says why, so a failed update (no network, one bad source) is not
  # the end.
  bootstrap_apt update || true
  if ! bootstrap_apt install -y --no-install-recommends $missing; then
    tail -n 15 "$root/build/setup.log" >&2
    bootstrap_stop "apt-get could not install: ${missing//$'\n'/ } (needs Debian 12, Ubuntu 24.04 or newer)"
  fi
}

# Succeeds if clang 19 and its libFuzzer are there or could be installed; otherwise says that fuzz targets are skipped.
bootstrap_fuzz_compiler() {
  if command -v clang++-19 >/dev/null && [[ -z $(bootstrap_missing "$bootstrap_fuzz_packages") ]]; then return; fi
  if [[ ${FAULTLINE_INSTALL:-} == off ]] || ! bootstrap_may_install || ! bootstrap_apt_has clang-19; then
    bootstrap_say "fuzz targets skipped: no clang-19 with libclang-rt-19-dev here, and none to install"
    return 1
  fi
  bootstrap_install "$bootstrap_fuzz_packages"
}

# TORCH_ROOT must be the folder of a torch that is new enough; the version is read from its headers.
bootstrap_named_torch() {
  local header=$TORCH_ROOT/include/torch/headeronly/version.h major minor
  if [[ ! -f $TORCH_ROOT/lib/libtorch_cpu.so || ! -d $TORCH_ROOT/include ]]; then
    bootstrap_stop "TORCH_ROOT=$TORCH_ROOT is not a torch: include/ or lib/libtorch_cpu.so is missing"
  fi
  major=$(sed -n 's/^#define TORCH_VERSION_MAJOR *//p' "$header" 2>/dev/null || true)
  minor=$(sed -n 's/^#define TORCH_VERSION_MINOR *//p' "$header" 2>/dev/null || true)
  if ((${major:-0} * 1000 + ${minor:-0} < 2011)); then
    bootstrap_stop "TORCH_ROOT=$TORCH_ROOT is older than torch 2.11"
  fi
}

# An interpreter that can make a virtual environment: the one named, the first on PATH, the system's.
bootstrap_python() {
  local python candidates=(python3 /usr/bin/python3)
  if [[ -n ${FAULTLINE_PYTHON:-} ]]; then candidates=("$FAULTLINE_PYTHON"); fi
  for python in "${candidates[@]}"; do
    if "$python" -c 'import ensurepip, venv' 2>/dev/null; then
      echo "$python"
      return
    fi
  done
  bootstrap_stop "no python3 that can make a virtual environment; install python3-venv or set FAULTLINE_PYTHON"
}

# Installs requirements.txt into .venv unless its stamp says that this was done. The mark `faultline.unfinished`
# outlives an interrupted pip, which can leave a package that looks installed and is not; such a .venv is made anew.
bootstrap_venv() {
  local venv=$root/.venv want python
  want=$(sha256sum <"$root/requirements.txt")
  if [[ -f $venv/faultline.stamp && $(<"$venv/faultline.stamp") == "$want" && -x $venv/bin/python ]]; then return; fi
  if [[ -e $venv/faultline.unfinished || ! -x $venv/bin/python ]]; then
    if [[ -e $venv ]]; then bootstrap_say "making .venv anew: an earlier set-up did not finish"; fi
    rm -rf "$venv"
    python=$(bootstrap_python) || exit
    mkdir -p "$venv"
    touch "$venv/faultline.unfinished"
    "$python" -m venv "$venv" >&2 || bootstrap_stop "$python could not make .venv"
  fi
  bootstrap_say "installing into .venv, as the reference to compare with:" $(grep '^[a-z]' "$root/requirements.txt")
  touch "$venv/faultline.unfinished"
  rm -f "$venv/faultline.stamp"
  if ! bootstrap_pip "$venv" || ! "$venv/bin/python" -c 'import torch' >&2; then
    bootstrap_stop "torch could not be installed; name an installed one with TORCH_ROOT, or set FAULTLINE_TORCH=off" \
      "to go without (then nothing can be compared with eager PyTorch)"
  fi
  rm "$venv/faultline.unfinished"
  printf '%s\n' "$want" >"$venv/faultline.stamp"
}

bootstrap_pip() {
  local command=("$1/bin/python" -m pip install --disable-pip-version-check -r "$root/requirements.txt")
  if [[ -t 2 ]]; then
    "${command[@]}" </dev/null >&2
  else
    "${command[@]}" -qq </dev/null >&2
  fi
}

bootstrap_torch() {
  if [[ -n ${TORCH_ROOT:-} ]]; then
    bootstrap_named_torch
  elif bootstrap_uses_venv; then
    bootstrap_venv
  fi
}

# One compiler needs up to about a gigabyte.
bootstrap_jobs() {
  local cores gigabytes
  cores=$(nproc)
  gigabytes=$(awk '/^MemAvailable:/ {print int($2 / 1048576)}' /proc/meminfo)
  if [[ -n $gigabytes ]] && ((gigabytes < cores)); then cores=$((gigabytes > 0 ? gigabytes : 1)); fi
  echo "${FAULTLINE_JOBS:-$cores}"
}

# How long a first build of target $2 takes with $1 jobs. Measured: five seconds a source file, with nothing in ccache.
bootstrap_minutes() {
  local folder folders=() files minutes
  for folder in taxonomy runtime faults checkers reports labs cli tests bench; do
    if [[ $2 == product && ($folder == tests || $folder == bench) ]]; then continue; fi
    if [[ -d $root/$folder ]]; then folders+=("$root/$folder"); fi
  done
  files=$(find "${folders[@]}" -name '*.cc' | wc -l)
  minutes=$(((files * 5 / $1 + 59) / 60))
  if ((minutes == 1)); then echo "a minute"; else echo "$minutes minutes"; fi
}

bootstrap_configure() {
  local preset=$1 build=$root/build/$1 without_torch=OFF
  if [[ -f $build/build.ninja ]] && bootstrap_is_configured "$build"; then return; fi
  rm -f "$build/configured.stamp"
  if [[ ${FAULTLINE_TORCH:-} == off ]]; then without_torch=ON; fi
  (cd "$root" && cmake --preset "$preset" -DTORCH_ROOT="${TORCH_ROOT:-}" \
    -DCMAKE_DISABLE_FIND_PACKAGE_TorchWheel=$without_torch) </dev/null >>"$build/build.log" 2>&1 || return 1
  bootstrap_settings >"$build/configured.stamp"
}

# On a terminal one line that ninja's progress rewrites; in a pipe nothing.
bootstrap_ninja() {
  local build=$1 jobs=$2 columns line status
  shift 2
  if [[ ! -t 2 ]]; then
    ninja -C "$build" -j "$jobs" "$@" </dev/null >>"$build/build.log" 2>&1
    return
  fi
  columns=$(stty size <&2 2>/dev/null | cut -d' ' -f2) || true
  if ((${columns:-0} < 20)); then columns=80; fi
  NINJA_STATUS='[%f/%t] ' ninja -C "$build" -j "$jobs" "$@" </dev/null 2>&1 | tee -a "$build/build.log" |
    while IFS= read -r line; do
      if [[ $line == \[* ]]; then printf '\r\e[K%s' "${line:0:columns-1}" >&2; fi
    done
  status=$?
  printf '\r\e[K' >&2
  return $status
}

# bootstrap_build preset target...: everything from packages to a build of the targets. Returns 1, after the log's
# last lines, if the sources do not configure or compile. Two calls at once: the second waits, then finds the work
# done.
bootstrap_build() {
  local preset=$1 build=$root/build/$1 lock jobs fresh=false
  shift
  mkdir -p "$build" && touch "$root/build/.lock" || bootstrap_stop "cannot write $root/build"
  trap 'bootstrap_say "interrupted; the next call goes on from here"; exit 130' INT TERM
  exec {lock}>"$root/build/.lock"
  if ! flock -n "$lock"; then
    bootstrap_say "another call is building; waiting for it"
    flock "$lock"
  fi
  bootstrap_install "$bootstrap_packages"
  bootstrap_torch
  jobs=$(bootstrap_jobs)
  if [[ ! -f $build/built.stamp ]]; then
    fresh=true
    bootstrap_say "building (first time: about $(bootstrap_minutes "$jobs" "$1"))"
  fi
  : >"$build/build.log"
  touch "$build/build.begun"
  if ! bootstrap_configure "$preset" || ! bootstrap_ninja "$build" "$jobs" "$@"; then
    tail -n 40 "$build/build.log" >&2
    bootstrap_say "the build failed; the whole log is build/$preset/build.log"
    return 1
  fi
  # Dated to the start of the build: a source saved meanwhile is newer and is built by the next call.
  mv "$build/build.begun" "$build/built.stamp"
  if $fresh; then bootstrap_say "built"; fi
  exec {lock}>&-
  trap - INT TERM
}
