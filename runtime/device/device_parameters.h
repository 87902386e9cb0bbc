// Figures of a card: what requests cost and where its limits are. A target's row fills this from its page.
#pragma once

#include <cstdint>
#include <string>

namespace faultline {

// Costs in ticks (1 tick = 1 ns of the modelled machine).
struct DeviceParameters {
  int64_t launch_ticks = 1000;
  double host_bytes_per_tick = 60;      // PCIe
  double device_bytes_per_tick = 150;   // shared by all cores' DMA
  double scratch_bytes_per_tick = 192;  // one core
  double ring_bytes_per_tick = 48;
  double matrix_macs_per_tick = 1140;    // one core
  double vector_elements_per_tick = 96;  // one core
  int64_t dma_setup_ticks = 20;
  int64_t watchdog_ticks = 0;  // 0: max(10 x the clean estimate, 1,000,000)
  int64_t segment_bytes = int64_t{16} << 30;
  int segments = 8;  // an access beyond them is a page fault
  uint32_t fault_code = 0x7b1b, cascade_code = 0x8758, page_fault_code = 0x1274;
  std::string fault_name = "ComputeHardwareError", cascade_name = "StreamInErrorState",
              page_fault_name = "ControlBlockSoftFail";
};

}  // namespace faultline
