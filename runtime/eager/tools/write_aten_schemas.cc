// Prints aten_schemas.inc of the torch at hand, after the head of the file named on the command line:
//   write_aten_schemas runtime/ir/schema/aten_schemas.inc > new.inc
// Run when requirements.txt names another torch, and read the difference before it is checked in.
#include <fstream>
#include <iostream>
#include <string>

#include "runtime/eager/eager.h"
#include "runtime/eager/schema_table.h"

int main(int count, char** arguments) {
  const faultline::EagerStatus status = faultline::eager_status();
  if (!status.available || count != 2) {
    std::cerr << (count != 2 ? "usage: write_aten_schemas <old aten_schemas.inc>" : status.why_not) << "\n";
    return 2;
  }
  std::ifstream old(arguments[1]);
  for (std::string line; std::getline(old, line) && line.starts_with("//");) std::cout << line << "\n";
  std::cout << faultline::aten_schema_table();
}
