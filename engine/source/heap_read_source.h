// The source behind `read` and `pread`, which differ in the system call alone: one heap buffer a thread.
#pragma once

#include "source/read_cursor.h"

namespace mmapscope {

class HeapReadSource : public Source {
  public:
    HeapReadSource(ReadBy by, Bytes buffer) : by_(by), buffer_(buffer) {}

    Status open(const SourceInput& input) override {
        input_ = &input;
        return file_.open(input);
    }

    Result<std::unique_ptr<Cursor>> cursor(std::size_t index) override {
        return heapReadCursor(file_, by_, *input_, index, buffer_);
    }

    void close() noexcept override { file_.close(); }

  private:
    ReadBy by_;
    Bytes buffer_;
    OpenFile file_;
    const SourceInput* input_ = nullptr;
};

}  // namespace mmapscope
