// From the archive's members to a Program: the marks that say what kind of archive it is, the model, its weights, its
// graph.
#include "runtime/ir/pt2/reader.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "runtime/base/error.h"
#include "runtime/ir/program_text.h"
#include "runtime/ir/pt2/archive.h"
#include "runtime/ir/pt2/graph.h"
#include "runtime/ir/pt2/schema.h"
#include "runtime/ir/pt2/weights.h"

namespace faultline {

static constexpr uintmax_t kFileBytesMax = uintmax_t{1} << 33;

static void check_mark(const Archive& archive, const std::string& member, std::string_view expected) {
  const std::string_view found = archive.read_text(member);
  if (found != expected)
    throw UserError(
        fmt::format("{}: member '{}': expected '{}', found '{}'", archive.file(), member, expected, printable(found)));
}

// The one model of the archive, or the one called "model". What else has the extension .pt2 is told apart by its
// members.
static std::string find_model(const Archive& archive) {
  constexpr std::string_view folder = "models/", extension = ".json";
  std::vector<std::string> models;
  bool compiled = false;
  for (const std::string& name : archive.names()) {
    compiled |= name.rfind("data/aotinductor/", 0) == 0;
    if (name.size() <= folder.size() + extension.size() || name.rfind(folder, 0) != 0) continue;
    if (name.substr(name.size() - extension.size()) != extension) continue;
    models.push_back(name.substr(folder.size(), name.size() - folder.size() - extension.size()));
    if (models.back() == "model") return "model";
  }
  if (models.size() == 1) return models[0];
  if (models.size() > 1)
    throw UserError(fmt::format("{}: expected one model, found {}: {}, {}, ...", archive.file(), models.size(),
                                printable(models[0]), printable(models[1])));
  if (compiled)
    throw UserError(archive.file() +
                    ": expected an exported program, found an AOTInductor package (compiled code without a graph)");
  if (archive.has("serialized_exported_program.json"))
    throw UserError(archive.file() +
                    ": expected the archive of torch 2.8 or newer, found one of an older torch; export it again");
  throw UserError(archive.file() +
                  ": expected a member models/<name>.json, found none: no archive of torch.export.save");
}

// "dir/mlp_f32.aten.pt2" names the program mlp_f32_aten.
static std::string program_name(const std::string& file) {
  std::string name = std::filesystem::path(file).stem().string();
  for (char& c : name)
    if (!is_identifier(std::string("_") + c)) c = '_';
  if (!is_identifier(name)) name = "model" + name;
  return is_reserved_word(name) ? name + "_" : name;
}

// The rules of the text form (names before their use, tensors where tensors belong) hold for what a file says as
// well. The bytes of the weights, checked already, stay out of it.
static void check_rules(const Program& program, const std::string& file, const std::string& member) {
  Program outline = program;
  for (auto& [name, attribute] : outline.attributes) std::get<Tensor>(attribute.value).storage = nullptr;
  try {
    parse_program(to_text(outline), "its text");
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: member '{}' is no valid program: {}", file, printable(member), error.what()));
  }
}

Program read_pt2(std::span<const std::byte> bytes, const std::string& file_name) {
  const Archive archive(bytes, file_name);
  const std::string model = find_model(archive);
  check_mark(archive, "archive_format", "pt2");
  check_mark(archive, "archive_version", "0");
  if (archive.has("byteorder")) check_mark(archive, "byteorder", "little");

  const std::string member = "models/" + model + ".json";
  const JsonDocument document(archive.read_text(member), file_name, member);
  const JsonView major = document.root().at("schema_version").at("major");
  if (major.integer() != kSchemaMajor)
    major.fail(fmt::format("expected schema version {}, found {}", kSchemaMajor, major.integer()));
  Program program;
  program.name = program_name(file_name);
  Weights weights(archive, model);
  GraphReader(weights, program).read(document.root().at("graph_module"));
  check_rules(program, file_name, member);
  return program;
}

Program read_pt2(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) throw UserError(path + ": expected a file, found none");
  const uintmax_t size = std::filesystem::file_size(path, error);
  if (error || size > kFileBytesMax)
    throw UserError(fmt::format("{}: expected a file of at most {} bytes", path, kFileBytesMax));
  std::vector<std::byte> bytes(size);
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size)))
    throw UserError(path + ": expected a file that can be read");
  return read_pt2(std::span<const std::byte>(bytes), path);
}

}  // namespace faultline
