// The byte stream between the app and a worker: `u32 length, u16 type, payload`, little-endian. A pipe, a
// socket and ssh carry it alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "run/sample.h"

namespace mmapscope {

enum class FrameType : std::uint16_t {
    hello = 1,    ///< worker → app, first: JSON, see Hello
    request = 2,  ///< app → worker: a RunRequest as JSON
    samples = 3,  ///< worker → app: an array of Sample as it lies in memory
    stop = 4,     ///< app → worker: empty
    record = 5,   ///< worker → app, last: a RunRecord as JSON
    error = 6,    ///< worker → app, last, instead of a record: one line of text
    // Between `--host HOST` and mmapscope-worker --serve there (host/serve.h), where a request is any
    // question and a record is one of many:
    planned = 7,  ///< the study without runs as JSON, as planned and when that changes; ← one to go on with
    progress = 8,  ///< where it is, as JSON
    done = 9,      ///< last of a study: it without runs, as JSON
    refusal = 10,  ///< instead of an answer or a study: an Error as JSON
    answer = 11,   ///< JSON, or a report's text
    taken = 12     ///< ← the last record has arrived: the next run may start, and nothing is on its way
};
[[nodiscard]] std::string_view name(FrameType type);

inline constexpr std::size_t kFrameHeaderBytes = 6;
/// The longest payload each type may have; what is longer is refused before anything is allocated for it.
[[nodiscard]] std::size_t mostPayload(FrameType type);

/// Raised whenever frames or the meaning of a request or record change.
inline constexpr std::uint32_t kProtocolVersion = 3;

struct Hello {
    std::uint32_t protocol = kProtocolVersion;
    std::string tool;  ///< version of the program
    std::uint32_t sampleBytes = sizeof(Sample);
    std::string byteOrder;  ///< "little" or "big": samples are sent as they lie in memory
    std::int32_t pid = 0;
};
/// What this program says of itself.
[[nodiscard]] Hello ownHello();
[[nodiscard]] std::string encodeHello(const Hello& hello);
[[nodiscard]] Result<Hello> decodeHello(std::string_view payload);
/// Error: unavailable, naming both sides, when the two can't work together.
[[nodiscard]] Status checkHello(const Hello& theirs, const Hello& ours);

struct Frame {
    FrameType type = FrameType::error;
    std::string payload;
};

/// Gathers frames from pieces of any length.
class FrameReader {
  public:
    void feed(std::span<const char> bytes) { buffer_.append(bytes.data(), bytes.size()); }
    /// The next whole frame; nullopt when more bytes are needed. Error: failed, for what can't be a frame;
    /// the stream is then lost.
    [[nodiscard]] Result<std::optional<Frame>> next();
    /// Whether the stream stopped inside a frame.
    [[nodiscard]] bool midFrame() const { return !buffer_.empty(); }

  private:
    std::string buffer_;
};

/// Header and payload in one buffer. Precondition: payload.size() <= mostPayload(type).
[[nodiscard]] std::string encodeFrame(FrameType type, std::string_view payload);

/// Writes all of it, also to a full pipe. A reader that is gone is an error (failed), never SIGPIPE.
[[nodiscard]] Status writeAll(int fd, std::string_view bytes);
[[nodiscard]] Status writeFrame(int fd, FrameType type, std::string_view payload);
[[nodiscard]] Status writeSamples(int fd, std::span<const Sample> samples);
/// Error: failed, when the payload isn't whole samples.
[[nodiscard]] Result<std::vector<Sample>> decodeSamples(std::string_view payload);

}  // namespace mmapscope
