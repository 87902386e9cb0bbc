// The two kinds of "no" that travel as exceptions, and the assert for programmer errors.
//
//   UserError   somebody typed or handed over something wrong: one line, exit code 2.
//   Rejected    a backend cannot take this program: data of a verdict (outcome `rejected`), never a failure of the
//   harness.
//
// A device's or compiler's misbehaviour is neither: it is recorded as Evidence.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace faultline {

// what() is the whole line: place, what was expected, nearest valid name. Lower case, no final stop.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// `subject` is the op, dtype or feature that cannot be taken; what() says why.
class Rejected : public std::runtime_error {
 public:
  Rejected(std::string subject, const std::string& why) : std::runtime_error(why), subject_(std::move(subject)) {}
  const std::string& subject() const { return subject_; }

 private:
  std::string subject_;
};

// The candidate with the smallest edit distance to `name`; empty when none is within a third of its length (at least
// 2).
std::string nearest(std::string_view name, std::span<const std::string> candidates);

// ", did you mean 'x'?" or empty.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

[[noreturn]] void fail_check(const char* file, int line, const char* condition, const std::string& values);

}  // namespace faultline

// A programmer's error: aborts with the site and the values. Stays on in release builds.
#define FAULTLINE_CHECK(condition, values)                                               \
  do {                                                                                   \
    if (!(condition)) ::faultline::fail_check(__FILE__, __LINE__, #condition, (values)); \
  } while (false)
