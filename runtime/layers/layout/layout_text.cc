// Text of the layout artefact: a line a buffer and a line a kernel, then the kernels' own text.
//
//   layout clone65:
//     buffer x {0,64,2}{0,1,64} x2B undefined
//     kernel k0_clone lanes 64 along 0 padded [128] valid [65]
//   kernels clone65:
//     ...
#include <fmt/format.h>

#include "runtime/base/error.h"
#include "runtime/ir/artefact_text.h"
#include "runtime/layers/fuse/kernel_text.h"
#include "runtime/layers/layout/layout_program.h"

namespace faultline {

std::string to_text(const LayoutProgram& program) {
  std::string text = fmt::format("layout {}:\n", name_text(program.program.name));
  for (size_t b = 0; b < program.layouts.size(); ++b) {
    text += fmt::format("  buffer {} {}\n", name_text(program.program.buffers[b].name), to_text(program.layouts[b]));
  }
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const KernelLayout& kernel = program.kernels[k];
    text += fmt::format("  kernel {} lanes {} along {} padded {} valid {}{}\n",
                        name_text(program.program.kernels[k].name), kernel.lanes, kernel.lane_dim,
                        list_text(kernel.padded), list_text(kernel.valid), kernel.relayout ? " relayout" : "");
  }
  return text + to_text(program.program);
}

namespace {

// The lines before the kernels' text; the name in each must be the one that stands there in the kernels' text.
class LayoutProgramReader {
 public:
  explicit LayoutProgramReader(std::string_view text) : text_(text) {}

  LayoutProgram read() {
    LayoutProgram program;
    const size_t body = text_.find("\nkernels ");
    if (body == std::string_view::npos) throw UserError("layout: the text has no 'kernels ...:'");
    program.program = parse_kernel_program(text_.substr(body + 1));
    head_ = text_.substr(0, body + 1);
    read_line(fmt::format("layout {}:", name_text(program.program.name)));
    for (const Buffer& buffer : program.program.buffers) {
      program.layouts.push_back(read_layout(read_line(fmt::format("  buffer {} ", name_text(buffer.name))), buffer));
    }
    for (const Kernel& kernel : program.program.kernels) {
      program.kernels.push_back(read_kernel(read_line(fmt::format("  kernel {} ", name_text(kernel.name))), kernel));
    }
    if (!head_.empty()) fail("'kernels ...:'", head_.substr(0, head_.find('\n')));
    return program;
  }

 private:
  // The rest of the next line, which has to begin with `start`.
  std::string_view read_line(const std::string& start) {
    ++line_;
    const size_t end = head_.find('\n');
    const std::string_view line = head_.substr(0, end);
    if (!line.starts_with(start)) fail(fmt::format("'{}'", start), line);
    head_.remove_prefix(end == std::string_view::npos ? head_.size() : end + 1);
    return line.substr(start.size());
  }

  // What executors rely on; whether the layout is legal is the verifier's affair.
  DeviceLayout read_layout(std::string_view line, const Buffer& buffer) const {
    DeviceLayout layout = parse_device_layout(line);
    for (const DeviceDim& dim : layout.dims) {
      const bool exists = dim.host_dim >= kByteDim && dim.host_dim < static_cast<int>(buffer.sizes.size());
      if (exists && dim.host_step >= 1 && dim.extent >= 0) continue;
      fail(fmt::format("device dims of the {} dims of {}", buffer.sizes.size(), buffer.name), line);
    }
    return layout;
  }

  KernelLayout read_kernel(std::string_view line, const Kernel& kernel) {
    const std::string file = fmt::format("layout:{}", line_);
    TextLexer lexer(line, file);
    KernelLayout layout;
    need_word(lexer, "lanes");
    layout.lanes = take_integer(lexer);
    need_word(lexer, "along");
    layout.lane_dim = static_cast<int>(take_integer(lexer));
    need_word(lexer, "padded");
    layout.padded = take_list(lexer);
    need_word(lexer, "valid");
    layout.valid = take_list(lexer);
    layout.relayout = lexer.take_word("relayout");
    if (lexer.token().kind != TokenKind::end) lexer.expected("the end of the line");
    const size_t rank = kernel.extents.size();
    if (layout.padded.size() != rank || layout.valid.size() != rank || layout.lane_dim < 0 ||
        layout.lane_dim >= static_cast<int>(rank) || layout.lanes < 1) {
      fail(fmt::format("lanes of the {} dims of {}", rank, kernel.name), line);
    }
    return layout;
  }

  static void need_word(TextLexer& lexer, std::string_view word) {
    if (!lexer.take_word(word)) lexer.expected(word);
  }
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const {
    throw UserError(fmt::format("layout:{}: expected {}, found '{}'", line_, expected, found));
  }

  std::string_view text_, head_;
  int line_ = 0;
};

}  // namespace

LayoutProgram parse_layout_program(std::string_view text) { return LayoutProgramReader(text).read(); }

}  // namespace faultline
