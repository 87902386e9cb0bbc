// sendmsg and recvmsg that never block, behind Channel::wait_for.
#include "runtime/backends/worker/frame.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

namespace faultline {

namespace {

using Kind = FrameFailure::Kind;
constexpr size_t kHeaderBytes = 5;
constexpr size_t kPieceBytes = size_t{1} << 20;

std::optional<FrameFailure> failure_of(Channel::Event event) {
  switch (event) {
    case Channel::Event::ready: return std::nullopt;
    case Channel::Event::ended: return FrameFailure{Kind::ended, {}};
    case Channel::Event::late: return FrameFailure{Kind::late, {}};
    case Channel::Event::too_large: return FrameFailure{Kind::too_large, {}};
  }
  return std::nullopt;
}

bool try_again(int error) { return error == EAGAIN || error == EINTR; }

std::optional<FrameFailure> send_bytes(Channel& channel, std::string_view bytes, int descriptor,
                                       Clock::time_point deadline) {
  while (!bytes.empty()) {
    if (auto failure = failure_of(channel.wait_for(POLLOUT, deadline))) return failure;
    iovec piece = {const_cast<char*>(bytes.data()), std::min(bytes.size(), kPieceBytes)};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message = {};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (descriptor >= 0) {
      message.msg_control = control;
      message.msg_controllen = sizeof control;
      cmsghdr* header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(sizeof(int));
      std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    const ssize_t sent = sendmsg(channel.socket(), &message, MSG_NOSIGNAL);
    if (sent > 0) {
      descriptor = -1;
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (sent < 0 && !try_again(errno)) {
      return FrameFailure{Kind::ended, {}};
    }
  }
  return std::nullopt;
}

// Fills `bytes`; descriptors that come along are appended, so that every one of them is closed by somebody.
std::optional<FrameFailure> receive_bytes(Channel& channel, char* bytes, size_t size,
                                          std::vector<FileDescriptor>& descriptors, Clock::time_point deadline) {
  while (size > 0) {
    if (auto failure = failure_of(channel.wait_for(POLLIN, deadline))) return failure;
    iovec piece = {bytes, std::min(size, kPieceBytes)};
    alignas(cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))] = {};
    msghdr message = {};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t got = recvmsg(channel.socket(), &message, MSG_CMSG_CLOEXEC);
    if (got == 0 || (got < 0 && !try_again(errno))) return FrameFailure{Kind::ended, {}};
    if (got < 0) continue;
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
      if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
      for (size_t at = 0; CMSG_LEN(at + sizeof(int)) <= header->cmsg_len; at += sizeof(int)) {
        int number = -1;
        std::memcpy(&number, CMSG_DATA(header) + at, sizeof number);
        descriptors.emplace_back(number);
      }
    }
    if ((message.msg_flags & MSG_CTRUNC) != 0 || descriptors.size() > 1)
      return FrameFailure{Kind::lie, "more than one descriptor with a frame"};
    bytes += got;
    size -= static_cast<size_t>(got);
  }
  return std::nullopt;
}

}  // namespace

std::optional<FrameFailure> send_frame(Channel& channel, std::string_view text, const FileDescriptor& block,
                                       Clock::time_point deadline) {
  const auto size = static_cast<uint32_t>(text.size());
  std::string header(kHeaderBytes, '\0');
  for (size_t i = 0; i < 4; ++i) header[i] = static_cast<char>(size >> (8 * i));
  header[4] = block.open() ? 1 : 0;
  if (auto failure = send_bytes(channel, header, block.number(), deadline)) return failure;
  return send_bytes(channel, text, -1, deadline);
}

std::variant<Frame, FrameFailure> receive_frame(Channel& channel, Clock::time_point deadline) {
  std::array<char, kHeaderBytes> header = {};
  std::vector<FileDescriptor> descriptors;
  if (auto failure = receive_bytes(channel, header.data(), header.size(), descriptors, deadline)) return *failure;
  size_t size = 0;
  for (size_t i = 0; i < 4; ++i) size |= size_t{static_cast<unsigned char>(header[i])} << (8 * i);
  const auto promised = static_cast<unsigned char>(header[4]);
  if (size > kFrameBytesMax) return FrameFailure{Kind::lie, fmt::format("a frame of {} bytes", size)};
  if (promised > 1) return FrameFailure{Kind::lie, fmt::format("a frame with {} descriptors", promised)};
  Frame frame;
  // It grows with what really comes.
  while (frame.text.size() < size) {
    const size_t at = frame.text.size();
    frame.text.resize(std::min(size, at + kPieceBytes));
    if (auto failure = receive_bytes(channel, frame.text.data() + at, frame.text.size() - at, descriptors, deadline))
      return *failure;
  }
  if (descriptors.size() != promised)
    return FrameFailure{Kind::lie,
                        fmt::format("a frame that promised {} descriptors came with {}", promised, descriptors.size())};
  if (promised == 1) frame.block = std::move(descriptors[0]);
  return frame;
}

bool has_unread(Channel& channel) {
  pollfd end = {channel.socket(), POLLIN, 0};
  return poll(&end, 1, 0) > 0;
}

}  // namespace faultline
