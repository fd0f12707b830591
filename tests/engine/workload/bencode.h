// Reading a .torrent as its bencoding says (BEP 3).
#pragma once

#include <QByteArray>

namespace mmapscope::testing {

/// The bytes of the value at `at`, by its bencoding (BEP 3); empty when it isn't well formed.
[[nodiscard]] inline QByteArray bencoded(const QByteArray& text, qsizetype at) {
    const auto end = [&](auto&& self, qsizetype from) -> qsizetype {
        if (from >= text.size()) {
            return -1;
        }
        if (text[from] == 'i') {
            return text.indexOf('e', from) + 1;
        }
        if (text[from] == 'l' || text[from] == 'd') {
            ++from;
            while (from >= 0 && from < text.size() && text[from] != 'e') {
                from = self(self, from);
            }
            return from + 1;
        }
        const qsizetype colon = text.indexOf(':', from);
        return colon + 1 + text.mid(from, colon - from).toLongLong();
    };
    const qsizetype stop = end(end, at);
    return stop > at && stop <= text.size() ? text.mid(at, stop - at) : QByteArray();
}

/// The info dictionary of a torrent, as it was hashed. Empty when there is none.
[[nodiscard]] inline QByteArray infoOf(const QByteArray& torrent) {
    const qsizetype key = torrent.indexOf("4:info");
    return key < 0 ? QByteArray() : bencoded(torrent, key + 6);
}

}  // namespace mmapscope::testing
