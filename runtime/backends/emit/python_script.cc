// The program is that of python_program.h; around it stand its data and a comparison that a reader can check in a
// minute.
#include "runtime/backends/emit/python_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/backends/emit/python_program.h"
#include "runtime/ir/program_text.h"

namespace faultline {

namespace {

constexpr size_t kBytesPerLine = 48;

constexpr std::string_view kMachinery = R"py(

def storage(size, content):
    made = torch.UntypedStorage(size)
    if size:
        numbers = torch.tensor(list(bytes.fromhex(content)), dtype=torch.uint8)
        torch.empty(0, dtype=torch.uint8).set_(made).copy_(numbers)
    return made


def tensor(made, dtype, sizes, strides, offset):
    return torch.empty(0, dtype=dtype).set_(made, offset, sizes, strides)


class State:
    pass


def leaving(run):
    """Every tensor that leaves a call, by call and name, as it is after that call."""
    left = []
    state, calls = make_inputs()
    for number, arguments in enumerate(calls):
        outputs = run(state, *arguments) if HAS_STATE else run(*arguments)
        named = [("output " + name, value) for name, value in zip(RETURNS, outputs)]
        named += [(f"input {name} after", value) for name, value in zip(PARAMETERS, arguments)]
        named += [(f"attribute {name} after", value) for name, value in sorted(vars(state).items())]
        owners = {}
        for name, value in named:
            if not isinstance(value, torch.Tensor):
                left.append(((number, name), "", torch.tensor([] if value is None else value)))
                continue
            key = value.untyped_storage().data_ptr() if value.untyped_storage().nbytes() else name
            place = f"{value.dtype} {list(value.shape)} strides {list(value.stride())} offset {value.storage_offset()}"
            place += f", memory of {owners.setdefault(key, name)}"
            left.append(((number, name), place, value.detach().clone()))
    return left


def equal_bits(a, b):
    same = a == b
    return same | ((a != a) & (b != b)) if a.is_floating_point() else same


def compare(eager, compiled):
    found = False
    for (key, place, wanted), (_, other, got) in zip(eager, compiled):
        label = f"call {key[0]}, {key[1]}"
        if place != other:
            found = True
            print(f"{label}: eager has {place}, compiled has {other}")
        elif key in EXPECTED:
            elements, tolerance = EXPECTED[key]
            a, b = wanted.flatten(), got.flatten()
            if elements:
                a, b = a[elements], b[elements]
            apart = ~equal_bits(a, b)
            if a.is_floating_point() and tolerance > 0:
                apart &= ~((a.double() - b.double()).abs() <= tolerance)
            for index in apart.nonzero().flatten().tolist()[:8]:
                at = elements[index] if elements else index
                print(f"{label}: element {at}: eager {a[index].item()!r}, compiled {b[index].item()!r}")
            found |= bool(apart.any())
    return found


def attempt(make):
    try:
        return leaving(make()), None
    except Exception as error:
        return None, error


def inner():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    for module, settings in (("_inductor", INDUCTOR), ("_functorch", FUNCTORCH), ("_dynamo", DYNAMO)):
        config = importlib.import_module(f"torch.{module}.config")
        for name, value in settings.items():
            owner = functools.reduce(getattr, name.split(".")[:-1], config)
            setattr(owner, name.split(".")[-1], value)
    with torch.no_grad():
        eager, eager_error = attempt(lambda: ENTRY)
        compiled, error = attempt(lambda: torch.compile(ENTRY, **OPTIONS))
    if eager_error is None and error is None:
        return 10 if compare(eager, compiled) else 0
    print(f"eager: {eager_error!r}\ncompiled: {type(error).__name__ if error else None}: {error}")
    return 11 if (eager_error is None) != (error is None) else 0


def main():
    if sys.argv[1:] == ["inner"]:
        sys.exit(inner())
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, TORCHINDUCTOR_CACHE_DIR=folder, TORCHINDUCTOR_COMPILE_THREADS="1")
        try:
            code = subprocess.run([sys.executable, __file__, "inner"], env=environment, timeout=600).returncode
        except subprocess.TimeoutExpired:
            code = 11
            print("no answer in ten minutes")
    if code == 0:
        print("does not reproduce")
        sys.exit(0)
    happened = "differs" if code == 10 else "ends" if code == 11 or code < 0 else f"exit code {code}"
    print("reproduces" if happened == KIND else f"something else: {happened}")
    sys.exit(1 if happened == KIND else 2)


if __name__ == "__main__":
    main()
)py";

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

std::string python_literal(const nlohmann::json& value) {
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (!value.is_object()) return value.dump();
  std::vector<std::string> entries;
  for (const auto& [key, inner] : value.items())
    entries.push_back(fmt::format("{}: {}", quoted(key), python_literal(inner)));
  return fmt::format("{{{}}}", fmt::join(entries, ", "));
}

std::string hex_text(const std::vector<std::byte>& bytes, const std::string& indent) {
  if (bytes.empty()) return "\"\"";
  std::string text = "(";
  for (size_t at = 0; at < bytes.size(); at += kBytesPerLine) {
    text += "\n" + indent + "\"";
    for (size_t b = at; b < std::min(at + kBytesPerLine, bytes.size()); ++b)
      text += fmt::format("{:02x}", static_cast<unsigned>(bytes[b]));
    text += "\"";
  }
  return text + ")";
}

std::string scalar_literal(const Scalar& scalar) {
  if (const auto* flag = std::get_if<bool>(&scalar)) return *flag ? "True" : "False";
  if (const auto* number = std::get_if<int64_t>(&scalar)) return fmt::format("{}", *number);
  return real_text(std::get<double>(scalar));
}

// def make_inputs(): the state, and the arguments of every call.
class Inputs {
 public:
  Inputs(const Program& program, const CaseInputs& inputs) : program_(program) {
    for (const auto& [path, name] : python_attribute_names(program)) {
      std::string value = "None";
      if (const auto tensor = inputs.attributes.find(path); tensor != inputs.attributes.end())
        value = tensor_text(tensor->second);
      if (const auto scalar = inputs.scalar_attributes.find(path); scalar != inputs.scalar_attributes.end())
        value = scalar_literal(scalar->second);
      lines_ += fmt::format("    state.{} = {}\n", name, value);
    }
    std::vector<std::string> calls;
    for (const CallInputs& call : inputs.calls) calls.push_back(call_text(call));
    text_ = fmt::format("\n\ndef make_inputs():\n    state = State()\n{}    return state, [{}]\n", lines_,
                        fmt::join(calls, ", "));
  }
  const std::string& text() const { return text_; }

 private:
  std::string call_text(const CallInputs& call) {
    std::vector<std::string> names;
    for (size_t p = 0; p < program_.parameters.size(); ++p) {
      const Parameter& parameter = program_.parameters[p];
      const std::string value =
          parameter.tensor ? tensor_text(call.tensors[p]) : scalar_literal(call.scalars.at(parameter.name));
      names.push_back(fmt::format("a{}", values_++));
      lines_ += fmt::format("    {} = {}  # {}\n", names.back(), value, parameter.name);
    }
    return fmt::format("[{}]", fmt::join(names, ", "));
  }
  std::string tensor_text(const Tensor& tensor) {
    auto [found, is_new] = storages_.try_emplace(tensor.storage.get(), fmt::format("s{}", storages_.size()));
    if (is_new)
      lines_ += fmt::format("    {} = storage({}, {})\n", found->second, tensor.storage->size(),
                            hex_text(*tensor.storage, "        "));
    return fmt::format("tensor({}, {}, [{}], [{}], {})", found->second, python_dtype(tensor.type.dtype),
                       fmt::join(tensor.type.sizes, ", "), fmt::join(tensor.type.strides, ", "), tensor.type.offset);
  }

  const Program& program_;
  std::map<const void*, std::string> storages_;
  std::string lines_, text_;
  int values_ = 0;
};

std::string names_text(const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (const std::string& name : names) texts.push_back(quoted(name));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string expected_text(const std::vector<ScriptTensor>& tensors) {
  std::string text = "EXPECTED = {  # wrong elements, and by how much rounding may make them differ\n";
  for (const ScriptTensor& tensor : tensors)
    text += fmt::format("    ({}, {}): ([{}], {}),\n", tensor.call, quoted(tensor.name),
                        fmt::join(tensor.elements, ", "), real_text(tensor.tolerance));
  return text + "}\n";
}

std::string options_text(const nlohmann::json& settings) {
  const auto part = [&](const char* name) {
    return settings.contains(name) ? settings[name] : nlohmann::json::object();
  };
  std::string options = fmt::format("\"backend\": {}", quoted(settings.value("backend", "inductor")));
  if (settings.contains("dynamic") && settings["dynamic"].is_boolean())
    options += fmt::format(", \"dynamic\": {}", python_literal(settings["dynamic"]));
  if (settings.value("fullgraph", false)) options += ", \"fullgraph\": True";
  return fmt::format("OPTIONS = {{{}}}\nINDUCTOR = {}\nFUNCTORCH = {}\nDYNAMO = {}\n", options,
                     python_literal(part("inductor")), python_literal(part("functorch")),
                     python_literal(part("dynamo")));
}

}  // namespace

std::string python_script(const Program& program, const CaseInputs& inputs, const nlohmann::json& settings,
                          const ScriptExpectation& expectation) {
  const PythonProgram python = python_program(program);
  const size_t body = python.source.find("def ");
  std::vector<std::string> parameters;
  for (const Parameter& parameter : program.parameters) parameters.push_back(parameter.name);
  std::string text;
  for (const std::string& line : expectation.comments) text += "# " + line + "\n";
  text += "# Exit code 1: it reproduces; 0: it does not; 2: something else happened.\n";
  text += "import functools\nimport importlib\nimport os\nimport subprocess\nimport sys\nimport tempfile\n";
  text += "from math import inf, nan\n\nimport torch\n\n\n";
  text += python.source.substr(body);
  text += fmt::format("\n\nENTRY = {}\nHAS_STATE = {}\nPARAMETERS = {}\nRETURNS = {}\n{}KIND = {}\n{}", python.entry,
                      python.has_state ? "True" : "False", names_text(parameters), names_text(program.returns),
                      options_text(settings), quoted(expectation.kind), expected_text(expectation.tensors));
  text += Inputs(program, inputs).text();
  return "# " + expectation.title + "\n" + text + std::string(kMachinery);
}

}  // namespace faultline
