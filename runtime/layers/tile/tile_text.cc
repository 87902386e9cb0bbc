// Text of the tile artefact, in front of the layout's text.
//
//   tile clone65 cores 2 scratch 1625344 alignment 128:
//     resident t at 0 bytes 128 kernels 0 1
//     kernel k0_clone:
//       loop core 0 x 2 step 64
//       loop vector 0 x 64 step 1
//       load 0 of x [1,64] at 0 bytes 128 x 1
//       store 0 of y [1,64] at 128 bytes 128 x 1
//       joined over loop 2
//   layout clone65:
//     ...
#include <fmt/format.h>

#include "runtime/base/error.h"
#include "runtime/ir/artefact_text.h"
#include "runtime/layers/tile/tile_program.h"

namespace faultline {

std::string_view name(LoopKind kind) {
  constexpr std::string_view names[] = {"core", "sequential", "vector"};
  return names[static_cast<int>(kind)];
}

std::string to_text(const TileProgram& program) {
  const KernelProgram& kernels = program.layout.program;
  const auto buffer_name = [&kernels](int buffer) { return name_text(kernels.buffers[buffer].name); };
  std::string text = fmt::format("tile {} cores {} scratch {} alignment {}:\n", name_text(kernels.name), program.cores,
                                 program.scratch_bytes, program.scratch_alignment);
  for (const Residency& residency : program.residencies) {
    text += fmt::format("  resident {} at {} bytes {} kernels {} {}\n", buffer_name(residency.buffer),
                        residency.address, residency.bytes, residency.first, residency.last);
  }
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    text += fmt::format("  kernel {}:\n", name_text(kernels.kernels[k].name));
    for (const Loop& loop : program.kernels[k].loops) {
      text += fmt::format("    loop {} {} x {} step {}\n", name(loop.kind), loop.dim, loop.extent, loop.step);
    }
    for (const OperandTile& operand : program.kernels[k].operands) {
      text += operand.node >= 0 ? fmt::format("    load {}", operand.node) : fmt::format("    store {}", operand.store);
      text += fmt::format(" of {} {} at {} bytes {} x {}\n", buffer_name(operand.buffer), list_text(operand.extents),
                          operand.address, operand.bytes, operand.buffers);
    }
    if (program.kernels[k].reduction_core_loop >= 0) {
      text += fmt::format("    joined over loop {}\n", program.kernels[k].reduction_core_loop);
    }
  }
  return text + to_text(program.layout);
}

namespace {

class TileReader {
 public:
  TileReader(std::string_view head, LayoutProgram layout) : lexer_(head, "tile") {
    program_.layout = std::move(layout);
  }

  TileProgram read() {
    need("tile");
    const size_t begin = lexer_.token().begin;
    if (take_name(lexer_) != program_.layout.program.name)
      lexer_.fail_at(begin, "another name than that of the layout below");
    need("cores");
    program_.cores = faultline::take_index(lexer_);
    need("scratch");
    program_.scratch_bytes = take_integer(lexer_);
    need("alignment");
    program_.scratch_alignment = take_positive();
    take_colon();
    while (lexer_.at_word("resident")) read_residency();
    for (const Kernel& kernel : program_.layout.program.kernels) read_kernel(kernel);
    lexer_.skip_separators();
    if (lexer_.token().kind != TokenKind::end) lexer_.expected("'layout ...:'");
    return std::move(program_);
  }

 private:
  void need(std::string_view word) {
    if (!lexer_.take_word(word)) lexer_.expected(word);
  }
  void take_colon() {
    if (!lexer_.take_symbol(":")) lexer_.expected("':'");
    take_line_end(lexer_);
  }
  int64_t take_positive() {
    const size_t begin = lexer_.token().begin;
    const int64_t number = take_integer(lexer_);
    if (number < 1) lexer_.fail_at(begin, fmt::format("{} should be at least 1", number));
    return number;
  }
  // An index below `count`.
  int take_index(size_t count, std::string_view what) {
    const size_t begin = lexer_.token().begin;
    const int64_t number = take_integer(lexer_);
    if (number < 0 || number >= static_cast<int64_t>(count)) {
      lexer_.fail_at(begin, fmt::format("there are {} {}, {} is none of them", count, what, number));
    }
    return static_cast<int>(number);
  }
  int take_buffer() {
    const size_t begin = lexer_.token().begin;
    const std::string name = take_name(lexer_);
    std::vector<std::string> names;
    const std::vector<Buffer>& buffers = program_.layout.program.buffers;
    for (size_t b = 0; b < buffers.size(); ++b) {
      if (buffers[b].name == name) return static_cast<int>(b);
      names.push_back(buffers[b].name);
    }
    lexer_.fail_at(begin, fmt::format("unknown buffer '{}'{}", name, did_you_mean(name, names)));
  }

  void read_residency() {
    Residency residency;
    need("resident");
    residency.buffer = take_buffer();
    need("at");
    residency.address = take_integer(lexer_);
    need("bytes");
    residency.bytes = take_integer(lexer_);
    need("kernels");
    residency.first = take_index(program_.layout.kernels.size(), "kernels");
    residency.last = take_index(program_.layout.kernels.size(), "kernels");
    take_line_end(lexer_);
    program_.residencies.push_back(residency);
  }

  void read_kernel(const Kernel& kernel) {
    need("kernel");
    const size_t begin = lexer_.token().begin;
    if (take_name(lexer_) != kernel.name) lexer_.fail_at(begin, fmt::format("kernel {} is next", kernel.name));
    take_colon();
    TileKernel tiles;
    while (lexer_.take_word("loop")) tiles.loops.push_back(read_loop(kernel));
    while (lexer_.at_word("load") || lexer_.at_word("store")) tiles.operands.push_back(read_operand(kernel));
    if (lexer_.take_word("joined")) {
      need("over");
      need("loop");
      tiles.reduction_core_loop = take_index(tiles.loops.size(), "loops");
      take_line_end(lexer_);
    }
    program_.kernels.push_back(std::move(tiles));
  }

  Loop read_loop(const Kernel& kernel) {
    Loop loop;
    if (lexer_.take_word("core"))
      loop.kind = LoopKind::core;
    else if (lexer_.take_word("sequential"))
      loop.kind = LoopKind::sequential;
    else
      need("vector");
    loop.dim = take_index(kernel.extents.size(), "dims");
    need("x");
    loop.extent = take_integer(lexer_);
    need("step");
    loop.step = take_integer(lexer_);
    take_line_end(lexer_);
    return loop;
  }

  OperandTile read_operand(const Kernel& kernel) {
    OperandTile operand;
    if (lexer_.take_word("load")) {
      const size_t begin = lexer_.token().begin;
      operand.node = take_index(kernel.nodes.size(), "nodes");
      if (kernel.nodes[operand.node].kind != ScalarNode::Kind::load) lexer_.fail_at(begin, "the node is no load");
    } else {
      need("store");
      operand.store = take_index(kernel.stores.size(), "stores");
    }
    need("of");
    operand.buffer = take_buffer();
    const size_t begin = lexer_.token().begin;
    operand.extents = take_list(lexer_);
    const size_t dims = program_.layout.layouts[operand.buffer].dims.size();
    if (operand.extents.size() != dims) lexer_.fail_at(begin, fmt::format("the buffer has {} device dims", dims));
    need("at");
    operand.address = take_integer(lexer_);
    need("bytes");
    operand.bytes = take_integer(lexer_);
    need("x");
    operand.buffers = static_cast<int>(take_positive());
    take_line_end(lexer_);
    return operand;
  }

  TextLexer lexer_;
  TileProgram program_;
};

}  // namespace

TileProgram parse_tile_program(std::string_view text) {
  const size_t body = text.find("\nlayout ");
  if (body == std::string_view::npos) throw UserError("tile: the text has no 'layout ...:'");
  return TileReader(text.substr(0, body + 1), parse_layout_program(text.substr(body + 1))).read();
}

}  // namespace faultline
