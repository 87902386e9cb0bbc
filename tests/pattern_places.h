// Where the campaign plants: a row for each shape of place, by plain arithmetic on coordinates. The first sizes of a
// row are those of the run alone, the others those of its sweep.
#pragma once

#include "tests/pattern_plants.h"

namespace faultline::planting {

struct Place {
  std::string_view family;  // "W1"
  std::string_view text;    // of the canonical set, without what depends on the data
  std::vector<Sizes> sizes;
  bool (*holds)(const Sizes& sizes, int64_t flat);
  bool by_value = false;  // holds() is asked of the reference's bits instead: see value_holds
  Sizes strides = {};     // of storage, for places that speak of it
};

inline int64_t i(const Sizes& n, size_t d, int64_t flat) { return coordinate(n, d, flat); }

// Hints that every case of the campaign gives: lanes, the stick, a tile, the share of a core.
inline std::vector<UnitHint> hints() {
  return {{4, "lanes"},  {8, "lanes"},   {16, "lanes"},         {32, "half stick"},
          {64, "stick"}, {128, "lanes"}, {24, "core share", 0}, {128, "tile", std::nullopt, {8, 16}}};
}

using N = const Sizes&;

inline const std::vector<Place>& first_places() {
  static const std::vector<Place> places = {
      {"W0", "all", {{97}, {70}, {130}, {41}}, [](N, int64_t) { return true; }},
      {"W0", "all", {{23, 37}, {19, 41}, {31, 35}, {9, 43}}, [](N, int64_t) { return true; }},
      {"W0", "all", {{31, 31}, {33, 33}, {23, 23}, {41, 41}}, [](N, int64_t) { return true; }},
      {"W0", "all", {{3, 11, 17}, {5, 7, 13}, {2, 13, 19}, {3, 5, 23}}, [](N, int64_t) { return true; }},

      {"W1",
       "tail of dim 0 beyond k*64",
       {{100}, {150}, {90}, {205}},
       [](N n, int64_t k) { return k >= n[0] / 64 * 64; }},
      {"W1",
       "tail of dim 1 beyond k*64",
       {{12, 100}, {9, 71}, {17, 150}, {5, 205}},
       [](N n, int64_t k) { return i(n, 1, k) >= n[1] / 64 * 64; }},
      {"W1",
       "tail of dim 0 beyond k*32",
       {{45, 13}, {58, 9}, {37, 11}, {107, 7}},
       [](N n, int64_t k) { return i(n, 0, k) >= n[0] / 32 * 32; }},
      {"W1",
       "tail of dim 1 beyond k*32",
       {{3, 45, 19}, {2, 58, 21}, {4, 37, 17}, {3, 77, 18}},
       [](N n, int64_t k) { return i(n, 1, k) >= n[1] / 32 * 32; }},

      {"W2", "rows 64.. of dim 0", {{200}, {170}, {260}, {333}}, [](N, int64_t k) { return k >= 64; }},
      {"W2",
       "rows 64.. of dim 1",
       {{13, 200}, {9, 140}, {7, 260}, {5, 333}},
       [](N n, int64_t k) { return i(n, 1, k) >= 64; }},
      {"W2",
       "rows 32.. of dim 0",
       {{83, 11}, {71, 9}, {67, 13}, {99, 7}},
       [](N n, int64_t k) { return i(n, 0, k) >= 32; }},
      {"W2",
       "rows 32.. of dim 1",
       {{3, 83, 19}, {2, 71, 21}, {4, 67, 17}, {3, 99, 18}},
       [](N n, int64_t k) { return i(n, 1, k) >= 32; }},
  };
  return places;
}

inline const std::vector<Place>& tile_places() {
  static const std::vector<Place> places = {
      {"W3",
       "tile (1,2) of 8x16",
       {{40, 64}, {33, 71}, {24, 53}, {61, 48}},
       [](N n, int64_t k) { return i(n, 0, k) / 8 == 1 && i(n, 1, k) / 16 == 2; }},
      {"W3",
       "core 2 of",
       {{100, 13}, {111, 11}, {143, 7}, {94, 17}},
       [](N n, int64_t k) { return i(n, 0, k) / 24 == 2; }},
      {"W3",
       "tile (0,1) of 8x16 or tile (2,2) of 8x16",
       {{40, 64}, {33, 71}, {24, 53}, {61, 48}},
       [](N n, int64_t k) {
         const int64_t r = i(n, 0, k) / 8, c = i(n, 1, k) / 16;
         return (r == 0 && c == 1) || (r == 2 && c == 2);
       }},
      {"W3",
       "tile (2,1) of 8x16",
       {{3, 25, 40}, {2, 33, 37}, {4, 27, 51}, {3, 30, 45}},
       [](N n, int64_t k) { return i(n, 1, k) / 8 == 2 && i(n, 2, k) / 16 == 1; }},

      {"W4", "mod 64 in [32,64)", {{300}, {260}, {333}, {210}}, [](N, int64_t k) { return k / 32 % 2 == 1; }},
      {"W4",
       "tiles {t : t mod 2 = 1} of 8x16",
       {{40, 48}, {33, 71}, {24, 80}, {50, 45}},
       [](N n, int64_t k) { return (i(n, 0, k) / 8 * ((n[1] + 15) / 16) + i(n, 1, k) / 16) % 2 == 1; }},
      {"W4",
       "{i : i_1 mod 32 in [16,32)}",
       {{11, 100}, {9, 71}, {7, 145}, {13, 130}},
       [](N n, int64_t k) { return i(n, 1, k) / 16 % 2 == 1; }},
      {"W4",
       "{i : i_1 mod 24 in [8,16)}",
       {{3, 60, 19}, {2, 71, 23}, {4, 50, 17}, {3, 77, 18}},
       [](N n, int64_t k) { return i(n, 1, k) / 8 % 3 == 1; }},

      {"W5", "{i : i mod 13 = 4}", {{250}, {170}, {333}, {205}}, [](N, int64_t k) { return k % 13 == 4; }},
      {"W5", "{i : i mod 7 = 3}", {{23, 31}, {19, 37}, {11, 41}, {29, 17}}, [](N, int64_t k) { return k % 7 == 3; }},
      {"W5",
       "{i : i_1 mod 12 = 5}",
       {{17, 60}, {11, 77}, {23, 50}, {7, 91}},
       [](N n, int64_t k) { return i(n, 1, k) % 12 == 5; }},
      {"W5",
       "{i : i_1 mod 10 = 7}",
       {{3, 60, 19}, {2, 77, 21}, {4, 50, 17}, {3, 91, 18}},
       [](N n, int64_t k) { return i(n, 1, k) % 10 == 7; }},
  };
  return places;
}

inline const std::vector<Place>& lane_places() {
  static const std::vector<Place> places = {
      {"W6", "{i : i mod 16 = 15}", {{500}, {333}, {410}, {270}}, [](N, int64_t k) { return k % 16 == 15; }},
      {"W6",
       "{i : i_1 mod 16 in [3,6)}",
       {{9, 83}, {11, 71}, {7, 101}, {13, 67}},
       [](N n, int64_t k) { return i(n, 1, k) % 16 >= 3 && i(n, 1, k) % 16 < 6; }},
      {"W6",
       "{i : i_0 mod 8 = 2}",
       {{60, 13}, {71, 11}, {45, 17}, {83, 7}},
       [](N n, int64_t k) { return i(n, 0, k) % 8 == 2; }},
      {"W6",
       "phys {i : i mod 8 = 3}",
       {{23, 31}, {23, 37}, {23, 29}, {23, 41}},
       [](N n, int64_t k) { return (i(n, 0, k) + 23 * i(n, 1, k)) % 8 == 3; },
       false,
       {1, 23}},

      {"W7", "dim 0 = 5", {{31, 37}, {19, 41}, {41, 29}, {23, 31}}, [](N n, int64_t k) { return i(n, 0, k) == 5; }},
      {"W7", "dim 1 = 19", {{31, 37}, {29, 73}, {41, 29}, {33, 31}}, [](N n, int64_t k) { return i(n, 1, k) == 19; }},
      {"W7",
       "last of dim 1",
       {{31, 37}, {29, 43}, {41, 29}, {33, 31}},
       [](N n, int64_t k) { return i(n, 1, k) == n[1] - 1; }},
      {"W7",
       "dim 1 = 3",
       {{3, 11, 17}, {5, 7, 13}, {2, 21, 19}, {3, 70, 7}},
       [](N n, int64_t k) { return i(n, 1, k) == 3; }},

      {"W8",
       "rows 19.. of dim 0",
       {{53, 13}, {61, 11}, {44, 17}, {71, 7}},
       [](N n, int64_t k) { return i(n, 0, k) >= 19; }},
      {"W8",
       "rows ..11 of dim 1",
       {{19, 37}, {23, 41}, {29, 31}, {13, 139}},
       [](N n, int64_t k) { return i(n, 1, k) < 11; }},
      {"W8",
       "dim 0 [10,21)",
       {{53, 13}, {61, 11}, {44, 17}, {135, 7}},
       [](N n, int64_t k) { return i(n, 0, k) >= 10 && i(n, 0, k) < 21; }},
      {"W8", "[37,111)", {{23, 31}, {19, 37}, {11, 41}, {29, 17}}, [](N, int64_t k) { return k >= 37 && k < 111; }},
      {"W8",
       "dim 1 [5,11)",
       {{3, 23, 19}, {2, 19, 23}, {4, 29, 17}, {3, 71, 11}},
       [](N n, int64_t k) { return i(n, 1, k) >= 5 && i(n, 1, k) < 11; }},
  };
  return places;
}

inline const std::vector<Place>& border_places() {
  static const std::vector<Place> places = {
      {"W9",
       "{i : i_0 mod 32 in [0,2)}",
       {{150, 11}, {111, 13}, {133, 7}, {170, 5}},
       [](N n, int64_t k) { return i(n, 0, k) % 32 < 2; }},
      {"W9",
       "{i : i_1 mod 16 in [13,16)}",
       {{9, 101}, {11, 77}, {7, 90}, {13, 67}},
       [](N n, int64_t k) { return i(n, 1, k) % 16 >= 13; }},
      {"W9",
       "{i : i_1 mod 32 in [0,2)} or {i : i_1 mod 32 in [30,32)}",
       {{9, 133}, {11, 111}, {7, 150}, {13, 101}},
       [](N n, int64_t k) { return i(n, 1, k) % 32 < 2 || i(n, 1, k) % 32 >= 30; }},
      {"W9",
       "{i : i_1 mod 16 in [0,2)}",
       {{3, 61, 19}, {2, 77, 21}, {4, 51, 17}, {3, 90, 18}},
       [](N n, int64_t k) { return i(n, 1, k) % 16 < 2; }},

      {"W10", "all except last of dim 0", {{97}, {70}, {130}, {41}}, [](N n, int64_t k) { return k != n[0] - 1; }},
      {"W10",
       "all except last of dim 1",
       {{23, 37}, {19, 41}, {31, 11}, {7, 29}},
       [](N n, int64_t k) { return i(n, 1, k) != n[1] - 1; }},
      {"W10",
       "rows 3.. of dim 0",
       {{23, 37}, {19, 41}, {31, 11}, {17, 29}},
       [](N n, int64_t k) { return i(n, 0, k) >= 3; }},
      {"W10",
       "rows 1.. of dim 0",
       {{7, 11, 13}, {5, 7, 17}, {6, 13, 9}, {9, 5, 11}},
       [](N n, int64_t k) { return i(n, 0, k) >= 1; }},

      {"W11", "[41,42)", {{97}, {70}, {130}, {53}}, [](N, int64_t k) { return k == 41; }},
      {"W11", "[75,76)", {{23, 37}, {19, 37}, {31, 37}, {7, 37}}, [](N, int64_t k) { return k == 75; }},
      {"W11",
       "last of dim 0 and last of dim 1",
       {{23, 37}, {19, 41}, {31, 11}, {7, 29}},
       [](N n, int64_t k) { return k == n[0] * n[1] - 1; }},
      {"W11", "[44,45)", {{3, 11, 13}, {5, 11, 13}, {2, 11, 13}, {7, 11, 13}}, [](N, int64_t k) { return k == 44; }},
  };
  return places;
}

inline const std::vector<Place>& index_places() {
  static const std::vector<Place> all = [] {
    std::vector<Place> places = first_places();
    for (const auto* more : {&tile_places(), &lane_places(), &border_places()})
      places.insert(places.end(), more->begin(), more->end());
    return places;
  }();
  return all;
}

// By the value that should stand there, for the floats of `numbers`.
inline const std::vector<Place>& value_places() {
  static const std::vector<Sizes> flat = {{700}, {500}, {910}, {330}}, grid = {{29, 31}, {23, 37}, {41, 19}, {17, 43}},
                                  box = {{5, 11, 13}, {7, 9, 11}, {3, 17, 13}, {4, 19, 11}};
  static const std::vector<Place> places = {
      {"W14", "{exponent of ref", flat, nullptr, true},
      {"W14", "{sign of ref", grid, nullptr, true},
      {"W14", "{exponent of ref", box, nullptr, true},
  };
  return places;
}

// Numbers of at least 4, the negative ones, numbers in [1/8, 1).
inline bool value_holds(size_t row, double value) {
  const double size = std::fabs(value);
  return row == 0 ? size >= 4 : row == 1 ? value < 0 : size >= 0.125 && size < 1;
}

}  // namespace faultline::planting
