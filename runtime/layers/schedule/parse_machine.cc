// The parsing half of machine_text.h: the operations first, then the lines before them, which refer to their buffers
// and kernels. What executors index by is checked here; all else is the verifier's affair.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/base/error.h"
#include "runtime/ir/artefact_text.h"
#include "runtime/layers/fuse/kernel_text.h"
#include "runtime/layers/schedule/machine_text.h"

namespace faultline {

namespace {

class MachineReader {
 public:
  MachineReader(std::string_view head, KernelProgram kernels) : head_(head), lexer_(head, "machine") {
    program_.name = std::move(kernels.name);
    program_.buffers = std::move(kernels.buffers);
    program_.inputs = std::move(kernels.inputs);
    program_.outputs = std::move(kernels.outputs);
    program_.write_backs = std::move(kernels.write_backs);
    program_.operations = std::move(kernels.kernels);
  }

  MachineProgram read() {
    need("machine");
    const size_t begin = lexer_.token().begin;
    if (take_name(lexer_) != program_.name) lexer_.fail_at(begin, "another name than that of the kernels below");
    need("cores");
    program_.cores = take_count();
    need("scratch");
    program_.scratch_bytes = take_count();
    take_colon();
    for (const Buffer& buffer : program_.buffers) program_.layouts.push_back(read_layout(buffer));
    while (lexer_.take_word("place")) program_.allocations.push_back(read_allocation());
    while (lexer_.take_word("launch")) program_.launches.push_back(read_launch());
    if (lexer_.token().kind != TokenKind::end) lexer_.expected("place, launch or 'kernels ...:'");
    return std::move(program_);
  }

 private:
  void need(std::string_view word) {
    if (!lexer_.take_word(word)) lexer_.expected(word);
  }
  void need_symbol(std::string_view symbol) {
    if (!lexer_.take_symbol(symbol)) lexer_.expected(fmt::format("'{}'", symbol));
  }
  void take_colon() {
    need_symbol(":");
    take_line_end(lexer_);
  }
  int take_small() { return static_cast<int>(take_between(INT32_MIN, INT32_MAX)); }
  int take_count() { return static_cast<int>(take_between(0, INT32_MAX)); }
  int64_t take_between(int64_t low, int64_t high) {
    const size_t begin = lexer_.token().begin;
    const int64_t number = take_integer(lexer_);
    if (number < low || number > high)
      lexer_.fail_at(begin, fmt::format("{} should be from {} to {}", number, low, high));
    return number;
  }
  // An index below `count`.
  int take_index(size_t count, std::string_view what) {
    const size_t begin = lexer_.token().begin;
    const int64_t number = take_integer(lexer_);
    if (number < 0 || number >= static_cast<int64_t>(count))
      lexer_.fail_at(begin, fmt::format("there are {} {}, {} is none of them", count, what, number));
    return static_cast<int>(number);
  }
  // The number of the next of a list, and its colon.
  void take_number(size_t next) {
    const size_t begin = lexer_.token().begin;
    if (take_integer(lexer_) != static_cast<int64_t>(next))
      lexer_.fail_at(begin, fmt::format("number {} is next", next));
    need_symbol(":");
  }
  int take_buffer() { return faultline::take_buffer(lexer_, program_.buffers); }
  // One of the names of an enumeration of `count` values.
  template <class Enum>
  Enum take_kind(int count) {
    std::string names;
    for (int i = 0; i < count; ++i) {
      const std::string_view each = name(static_cast<Enum>(i));
      if (lexer_.take_word(each)) return static_cast<Enum>(i);
      names += fmt::format("{}{}", i == 0 ? "" : i + 1 == count ? " or " : ", ", each);
    }
    lexer_.expected(names);
  }

  DeviceLayout read_layout(const Buffer& buffer) {
    need("buffer");
    const size_t begin = lexer_.token().begin;
    if (take_name(lexer_) != buffer.name) lexer_.fail_at(begin, fmt::format("buffer {} is next", buffer.name));
    const size_t at = lexer_.token().begin;
    DeviceLayout layout = parse_device_layout(head_.substr(at, head_.find('\n', at) - at));
    for (const DeviceDim& dim : layout.dims) {
      const bool exists = dim.host_dim >= kByteDim && dim.host_dim < static_cast<int>(buffer.sizes.size());
      if (!exists || dim.host_step < 1 || dim.extent < 0)
        lexer_.fail_at(at,
                       fmt::format("device dims that do not suit the {} dims of {}", buffer.sizes.size(), buffer.name));
    }
    while (!lexer_.at_separator() && lexer_.token().kind != TokenKind::end) lexer_.advance();
    lexer_.skip_separators();
    return layout;
  }

  Allocation read_allocation() {
    Allocation allocation;
    allocation.buffer = take_buffer();
    need("segment");
    allocation.segment = take_count();
    need("at");
    allocation.offset = take_integer(lexer_);
    need("bytes");
    allocation.bytes = take_integer(lexer_);
    need("live");
    allocation.first = take_small();
    need("to");
    allocation.last = take_small();
    take_line_end(lexer_);
    return allocation;
  }

  Launch read_launch() {
    Launch launch;
    launch.name = take_name(lexer_);
    need("of");
    need("kernel");
    launch.kernel = take_index(program_.operations.size(), "kernels");
    need("tokens");
    launch.tokens = take_count();
    take_colon();
    while (lexer_.take_word("copy")) launch.descriptors.push_back(read_descriptor(launch.descriptors.size()));
    while (lexer_.take_word("compute")) launch.computes.push_back(read_compute(launch.computes.size()));
    while (lexer_.take_word("core")) launch.streams.push_back(read_stream(launch));
    return launch;
  }

  Address take_address() {
    Address address;
    address.space = take_kind<Space>(2);
    if (address.space == Space::device) address.buffer = take_buffer();
    need("at");
    address.offset = take_integer(lexer_);
    return address;
  }

  Descriptor read_descriptor(size_t number) {
    Descriptor descriptor;
    take_number(number);
    descriptor.bytes = take_integer(lexer_);
    need("bytes");
    need("from");
    descriptor.source = take_address();
    need("to");
    descriptor.target = take_address();
    while (lexer_.take_symbol(",")) {
      if (descriptor.nest.empty()) need("nest");
      Nest nest;
      nest.count = take_integer(lexer_);
      need("x");
      nest.source_stride = take_integer(lexer_);
      need("to");
      nest.target_stride = take_integer(lexer_);
      descriptor.nest.push_back(nest);
    }
    take_line_end(lexer_);
    return descriptor;
  }

  Compute read_compute(size_t number) {
    const size_t begin = lexer_.token().begin;
    Compute compute;
    take_number(number);
    compute.unit = take_kind<Unit>(3);
    compute.operations = take_index(program_.operations.size(), "kernels");
    const Kernel& kernel = program_.operations[compute.operations];
    need("over");
    compute.box.begin = take_dims(kernel);
    need("to");
    compute.box.end = take_dims(kernel);
    need("valid");
    compute.valid = take_dims(kernel);
    need("lanes");
    compute.lane_dim = take_index(kernel.extents.size(), "dims");
    compute.first = lexer_.take_word("first");
    compute.last = lexer_.take_word("last");
    take_line_end(lexer_);
    while (lexer_.at_word("load") || lexer_.at_word("store")) compute.operands.push_back(read_operand(kernel));
    check_operands(compute, kernel, begin);
    return compute;
  }
  std::vector<int64_t> take_dims(const Kernel& kernel) {
    const size_t begin = lexer_.token().begin;
    std::vector<int64_t> dims = take_list(lexer_);
    if (dims.size() != kernel.extents.size())
      lexer_.fail_at(begin, fmt::format("kernel {} has {} dims", kernel.name, kernel.extents.size()));
    return dims;
  }

  OperandAddress read_operand(const Kernel& kernel) {
    OperandAddress operand;
    size_t coordinates = 0;
    const size_t begin = lexer_.token().begin;
    if (lexer_.take_word("load")) {
      operand.node = take_index(kernel.nodes.size(), "nodes");
      const ScalarNode& node = kernel.nodes[operand.node];
      if (node.kind != ScalarNode::Kind::load) lexer_.fail_at(begin, fmt::format("node {} is no load", operand.node));
      coordinates = node.access.coordinates.size();
    } else {
      need("store");
      operand.store = take_index(kernel.stores.size(), "stores");
      coordinates = static_cast<size_t>(kernel.parallel);
    }
    if (lexer_.take_word("by")) operand.group = take_between(1, INT64_MAX);
    need("at");
    operand.base = take_integer(lexer_);
    while (lexer_.take_symbol("+")) operand.dims.push_back(take_dim(coordinates));
    take_line_end(lexer_);
    return operand;
  }

  AddressDim take_dim(size_t coordinates) {
    AddressDim dim;
    const bool group = lexer_.take_symbol("(");
    dim.host_dim = take_coordinate(coordinates);
    if (lexer_.take_symbol("/")) dim.step = take_between(1, INT64_MAX);
    if (lexer_.take_symbol("%")) dim.modulus = take_between(1, INT64_MAX);
    if (group) {
      need_symbol("-");
      dim.origin = take_integer(lexer_);
      need_symbol(")");
    }
    need_symbol("*");
    dim.stride_bytes = take_integer(lexer_);
    return dim;
  }
  int take_coordinate(size_t coordinates) {
    for (size_t c = 0; c < coordinates; ++c)
      if (lexer_.take_word(fmt::format("c{}", c))) return static_cast<int>(c);
    lexer_.expected(fmt::format("a coordinate below c{}", coordinates));
  }

  // An executor looks up the address of every load, and of every store when it finishes.
  void check_operands(const Compute& compute, const Kernel& kernel, size_t begin) const {
    const auto has = [&](int node, int store) {
      return std::any_of(compute.operands.begin(), compute.operands.end(),
                         [&](const OperandAddress& operand) { return operand.node == node && operand.store == store; });
    };
    for (int n = 0; n < std::ssize(kernel.nodes); ++n)
      if (kernel.nodes[n].kind == ScalarNode::Kind::load && !has(n, -1))
        lexer_.fail_at(begin, fmt::format("load {} of kernel {} has no address", n, kernel.name));
    for (int s = 0; s < std::ssize(kernel.stores) && compute.last; ++s)
      if (!has(-1, s)) lexer_.fail_at(begin, fmt::format("store {} of kernel {} has no address", s, kernel.name));
  }

  Stream read_stream(const Launch& launch) {
    Stream stream;
    stream.core = take_index(static_cast<size_t>(program_.cores), "cores");
    stream.engine = take_kind<Engine>(kEngineCount);
    take_colon();
    while (lexer_.token().kind == TokenKind::integer || lexer_.at_symbol("-"))
      stream.instructions.push_back(read_instruction(launch));
    return stream;
  }

  Instruction read_instruction(const Launch& launch) {
    Instruction instruction;
    instruction.sequence = take_integer(lexer_);
    need_symbol(":");
    instruction.opcode = take_kind<Opcode>(6);
    switch (instruction.opcode) {
      case Opcode::copy: instruction.descriptor = take_index(launch.descriptors.size(), "copies"); break;
      case Opcode::compute: instruction.compute = take_index(launch.computes.size(), "computes"); break;
      case Opcode::send:
      case Opcode::receive:
        instruction.compute = take_index(launch.computes.size(), "computes");
        need(instruction.opcode == Opcode::send ? "to" : "from");
        instruction.peer = take_small();
        break;
      case Opcode::wait:
        instruction.token = take_small();
        need("x");
        instruction.count = take_integer(lexer_);
        break;
      case Opcode::signal: instruction.token = take_small(); break;
    }
    take_line_end(lexer_);
    return instruction;
  }

  std::string_view head_;
  TextLexer lexer_;
  MachineProgram program_;
};

}  // namespace

MachineProgram parse_machine_program(std::string_view text) {
  const size_t body = text.find("\nkernels ");
  if (body == std::string_view::npos) throw UserError("machine: the text has no 'kernels ...:'");
  return MachineReader(text.substr(0, body + 1), parse_kernel_program(text.substr(body + 1))).read();
}

}  // namespace faultline
