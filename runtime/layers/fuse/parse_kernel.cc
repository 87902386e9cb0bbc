// The parsing half of kernel_text.h: recursive descent over the tokens of program text. Numbers of nodes and dims are
// checked here as far as the text itself goes; what a kernel promises is verify_fuse's affair.
#include <algorithm>

#include <fmt/format.h>

#include "runtime/base/error.h"
#include "runtime/ir/artefact_text.h"
#include "runtime/layers/fuse/kernel_text.h"

namespace faultline {

namespace {

class KernelParser {
 public:
  explicit KernelParser(std::string_view text) : lexer_(text, "kernels") {}

  KernelProgram parse() {
    lexer_.skip_separators();
    need_word("kernels");
    program_.name = take_name(lexer_);
    need(":");
    take_line_end(lexer_);
    if (lexer_.take_word("calls")) parse_calls();
    while (parse_buffer()) {
    }
    if (lexer_.take_word("takes")) program_.inputs = take_buffers();
    while (lexer_.token().kind != TokenKind::end && !lexer_.at_word("writes") && !lexer_.at_word("return"))
      parse_kernel();
    if (lexer_.take_word("writes")) program_.write_backs = take_buffers();
    if (lexer_.take_word("return")) program_.outputs = take_buffers();
    if (lexer_.token().kind != TokenKind::end) lexer_.expected("the end of the text");
    return std::move(program_);
  }

 private:
  void need(std::string_view symbol) {
    if (!lexer_.take_symbol(symbol)) lexer_.expected(fmt::format("'{}'", symbol));
  }
  void need_word(std::string_view word) {
    if (!lexer_.take_word(word)) lexer_.expected(word);
  }

  void parse_calls() {
    do {
      std::string target(lexer_.token().text);
      lexer_.advance();
      program_.origins.push_back(target + "." + lexer_.take_path("."));
    } while (lexer_.take_symbol(","));
    take_line_end(lexer_);
  }

  bool parse_buffer() {
    static constexpr std::string_view roles[] = {"input", "intermediate", "output"};
    const auto* role = std::find(std::begin(roles), std::end(roles), lexer_.token().text);
    if (role == std::end(roles)) return false;
    lexer_.advance();
    Buffer buffer;
    buffer.role = static_cast<BufferRole>(role - std::begin(roles));
    buffer.name = take_name(lexer_);
    need(":");
    const TensorType type = take_type(lexer_);
    buffer.dtype = type.dtype;
    buffer.sizes = type.sizes;
    if (lexer_.take_symbol("=")) buffer.prim_node = take_value(lexer_);
    program_.buffers.push_back(std::move(buffer));
    take_line_end(lexer_);
    return true;
  }

  int take_buffer() { return faultline::take_buffer(lexer_, program_.buffers); }

  std::vector<int> take_buffers() {
    std::vector<int> buffers;
    do buffers.push_back(lexer_.take_symbol("-") ? -1 : take_buffer());
    while (lexer_.take_symbol(","));
    take_line_end(lexer_);
    return buffers;
  }

  void parse_kernel() {
    Kernel kernel;
    kernel.name = take_name(lexer_);
    take_class(kernel);
    parse_space(kernel);
    if (lexer_.take_word("of")) {
      do kernel.origins.push_back(take_index(lexer_));
      while (lexer_.take_symbol(","));
    }
    need(":");
    take_line_end(lexer_);
    while (lexer_.at_symbol("%") || lexer_.at_word("reduce")) {
      if (lexer_.at_symbol("%"))
        parse_node(kernel);
      else
        parse_reduction(kernel);
      take_line_end(lexer_);
    }
    // A store is "name = %n"; the next kernel starts "name class".
    while (lexer_.token().kind != TokenKind::end && at_store(kernel)) {
    }
    program_.kernels.push_back(std::move(kernel));
  }

  bool at_store(Kernel& kernel) {
    if (lexer_.at_word("writes") || lexer_.at_word("return")) return false;
    const TextLexer before = lexer_;
    take_name(lexer_);
    const bool store = lexer_.at_symbol("=");
    lexer_ = before;
    if (!store) return false;
    const int buffer = take_buffer();
    need("=");
    kernel.stores.push_back({buffer, take_node(kernel)});
    take_line_end(lexer_);
    return true;
  }

  void take_class(Kernel& kernel) {
    for (const KernelClass each :
         {KernelClass::pointwise, KernelClass::reduction, KernelClass::contraction, KernelClass::movement}) {
      if (!lexer_.take_word(name(each))) continue;
      kernel.kernel_class = each;
      return;
    }
    lexer_.expected("pointwise, reduction, contraction or movement");
  }

  // Parallel dims are called i, the reduction dims behind them r.
  void parse_space(Kernel& kernel) {
    kernel.parallel = 0;
    lexer_.take_open("(");
    do {
      const int dim = static_cast<int>(kernel.extents.size());
      const std::string parallel = fmt::format("i{}", dim), reduction = fmt::format("r{}", dim);
      if (kernel.parallel == dim && lexer_.take_word(parallel))
        ++kernel.parallel;
      else if (!lexer_.take_word(reduction))
        lexer_.expected(fmt::format("{} or {}", parallel, reduction));
      need("<");
      kernel.extents.push_back(take_integer(lexer_));
    } while (lexer_.take_symbol(","));
    lexer_.take_close(")");
  }

  int take_node(const Kernel& kernel) {
    const size_t begin = lexer_.token().begin;
    const int node = take_value(lexer_);
    if (node < 0 || node >= std::ssize(kernel.nodes))
      lexer_.fail_at(begin, fmt::format("no node %{} stands above; the next is %{}", node, kernel.nodes.size()));
    return node;
  }

  DType take_dtype() {
    const auto dtype = dtype_from_name(lexer_.token().text);
    if (!dtype) lexer_.expected("a dtype");
    lexer_.advance();
    return *dtype;
  }

  void parse_reduction(Kernel& kernel) {
    need_word("reduce");
    const auto reduction = reduction_from_name(lexer_.token().text);
    if (!reduction) lexer_.expected("a reduction");
    lexer_.advance();
    need("(");
    kernel.reduction = KernelReduction{*reduction, take_node(kernel)};
    need(")");
  }

  void parse_node(Kernel& kernel) {
    const size_t begin = lexer_.token().begin;
    const int number = take_value(lexer_);
    if (number != std::ssize(kernel.nodes))
      lexer_.fail_at(begin, fmt::format("node %{} stands where %{} is next", number, kernel.nodes.size()));
    need(":");
    ScalarNode node;
    node.dtype = take_dtype();
    need("=");
    if (lexer_.take_word("load")) {
      node.kind = ScalarNode::Kind::load;
      node.access = take_access(kernel);
      if (lexer_.take_word("else")) node.operands = {take_node(kernel)};
    } else if (lexer_.take_word("literal")) {
      node.kind = ScalarNode::Kind::literal;
      node.literal = take_literal(lexer_);
    } else if (lexer_.take_word("index")) {
      node.kind = ScalarNode::Kind::index;
      node.affine = take_affine(kernel);
    } else if (lexer_.take_word("reduced")) {
      node.kind = ScalarNode::Kind::reduced;
    } else {
      take_apply(kernel, node);
    }
    kernel.nodes.push_back(std::move(node));
  }

  void take_apply(const Kernel& kernel, ScalarNode& node) {
    const auto function = function_from_name(lexer_.token().text);
    if (!function) lexer_.expected("load, literal, index, reduced or a function");
    lexer_.advance();
    node.kind = ScalarNode::Kind::apply;
    node.function = *function;
    need("(");
    do node.operands.push_back(take_node(kernel));
    while (lexer_.take_symbol(","));
    need(")");
  }

  Access take_access(const Kernel& kernel) {
    Access access;
    access.buffer = take_buffer();
    need("[");
    do {
      Coordinate coordinate;
      if (lexer_.at_symbol("%")) coordinate.indirect = take_node(kernel);
      if (coordinate.indirect < 0 || lexer_.take_symbol("+")) coordinate.affine = take_affine(kernel);
      access.coordinates.push_back(std::move(coordinate));
    } while (lexer_.take_symbol(","));
    need("]");
    return access;
  }

  Affine take_affine(const Kernel& kernel) {
    Affine affine;
    bool negative = lexer_.take_symbol("-");
    for (;;) {
      if (lexer_.token().kind == TokenKind::integer) {
        const int64_t number = take_integer(lexer_);
        affine.constant += negative ? -number : number;
      } else {
        affine.terms.push_back(take_term(kernel, negative));
      }
      negative = lexer_.at_symbol("-");
      if (!lexer_.take_symbol("+") && !lexer_.take_symbol("-")) return affine;
    }
  }

  Term take_term(const Kernel& kernel, bool negative) {
    Term term;
    const bool group = lexer_.take_symbol("(");
    term.dim = take_dim(kernel);
    if (lexer_.take_symbol("/")) term.divisor = take_positive();
    if (group) need(")");
    if (lexer_.take_symbol("%")) term.modulus = take_positive();
    if (lexer_.take_symbol("*")) term.coefficient = take_integer(lexer_);
    if (negative) term.coefficient = -term.coefficient;
    return term;
  }

  int take_dim(const Kernel& kernel) {
    for (int dim = 0; dim < std::ssize(kernel.extents); ++dim)
      if (lexer_.take_word(fmt::format("{}{}", dim < kernel.parallel ? 'i' : 'r', dim))) return dim;
    lexer_.expected("an iteration dim or a number");
  }

  int64_t take_positive() {
    const size_t begin = lexer_.token().begin;
    const int64_t number = take_integer(lexer_);
    if (number < 1) lexer_.fail_at(begin, fmt::format("expected a positive number, found {}", number));
    return number;
  }

  TextLexer lexer_;
  KernelProgram program_;
};

}  // namespace

int take_buffer(TextLexer& lexer, const std::vector<Buffer>& buffers) {
  const size_t begin = lexer.token().begin;
  const std::string name = take_name(lexer);
  std::vector<std::string> names;
  for (size_t b = 0; b < buffers.size(); ++b) {
    if (buffers[b].name == name) return static_cast<int>(b);
    names.push_back(buffers[b].name);
  }
  lexer.fail_at(begin, fmt::format("unknown buffer '{}'{}", name, did_you_mean(name, names)));
}

KernelProgram parse_kernel_program(std::string_view text) { return KernelParser(text).parse(); }

}  // namespace faultline
