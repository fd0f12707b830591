#include <sys/mman.h>

#include "probe/smaps.h"
#include "probe_support.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

const Mapping* byPath(const std::vector<Mapping>& all, const std::string& path) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Mapping& m) { return m.path.path == path; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

class TestSmaps : public QObject {
    Q_OBJECT
  private slots:
    void readsACapturedText() {
        const auto all = parseSmaps(captured("smaps.txt"));
        QCOMPARE(all.size(), std::size_t{20});
        QCOMPARE(all.front().path.path, std::string("/usr/bin/python3.11"));
        QCOMPARE(all.front().permissions, std::string("r--p"));
        QCOMPARE(all.front().inode, quint64{18624});
        QCOMPARE(all.front().flags, (std::vector<std::string>{"rd", "mr", "mw", "me"}));
        QCOMPARE(all.front().figures.vmFlags, std::optional(parseVmFlags("rd mr mw me")));
        QCOMPARE(all.front().otherKeys.at("KSM"), std::string("0 kB"));
        QCOMPARE(all.back().begin, quint64{0xffffffffff600000});
    }
    void readsPathsWithBlanksNewlinesAndDeletedFiles() {
        const auto all = parseSmaps(captured("smaps.txt"));
        const Mapping* blank = byPath(all, "/tmp/capture dir/with space.bin");
        QVERIFY(blank != nullptr);
        QVERIFY(!blank->path.deleted);
        QCOMPARE(blank->figures.rss, std::optional(kib(64)));
        QVERIFY(byPath(all, "/tmp/capture dir/new\nline.bin") != nullptr);
        const Mapping* gone = byPath(all, "/tmp/capture dir/gone file.bin");
        QVERIFY(gone != nullptr);
        QVERIFY(gone->path.deleted);
    }
    void tellsHugePages() {
        const auto all = parseSmaps(captured("smaps.txt"));
        const Mapping* pool = byPath(all, "/anon_hugepage");
        QVERIFY(pool != nullptr);
        QCOMPARE(pool->figures.kernelPage, std::optional(mib(2)));
        QCOMPARE(pool->figures.hugetlb(), std::optional(mib(4)));
        QCOMPARE(pool->figures.anonHuge, std::optional(Bytes(0)));
        MappingFigures total;
        for (const Mapping& mapping : all) {
            total.add(mapping.figures);
        }
        QCOMPARE(total.anonHuge, std::optional(mib(4)));
        QCOMPARE(total.hugetlb(), std::optional(mib(4)));
        QCOMPARE(total.kernelPage, std::optional(mib(2)));  // the largest, not a sum
        QCOMPARE(total.thpEligible, std::optional(true));
    }
    void keepsWhatItDoesNotKnowAndMissesWhatIsMissing() {
        const auto all = parseSmaps(
            "Rss: 5 kB\n"
            "1000-2000 r--p 00000000 00:00 0 \n"
            "Rss:                   4 kB\n"
            "NewThing:              8 pages\n"
            "VmFlags: rd zz\n"
            "3000-5000 rw-p 00001000 08:01 7    /a b\\134c (deleted) (deleted)\n"
            "Rss: many kB\n"
            "AnonHugePages:      2048 kB");
        QCOMPARE(all.size(), std::size_t{2});
        QCOMPARE(all[0].figures.rss, std::optional(kib(4)));
        QVERIFY(!all[0].figures.thpEligible.has_value());
        QVERIFY(!all[0].figures.hugetlb().has_value());
        QCOMPARE(all[0].otherKeys.at("NewThing"), std::string("8 pages"));
        QCOMPARE(all[0].flags.back(), std::string("zz"));
        QCOMPARE(all[0].figures.vmFlags, std::optional(*vmFlagOf("rd") | kOtherVmFlag));
        MappingFigures both = all[0].figures;
        MappingFigures other;
        other.vmFlags = vmFlagOf("hg");
        both.add(other);
        QCOMPARE(both.vmFlags, std::optional(*vmFlagOf("rd") | kOtherVmFlag | *vmFlagOf("hg")));
        QCOMPARE(all[0].path.path, std::string());
        QCOMPARE(all[1].path.path, std::string("/a b\\134c (deleted)"));  // smaps escapes newlines alone
        QVERIFY(!all[1].figures.rss.has_value());
        QCOMPARE(all[1].figures.anonHuge, std::optional(mib(2)));  // a last line without its newline
    }
    void refusesOtherLinesAsHeaders_data() {
        QTest::addColumn<QString>("line");
        for (const char* line : {"", "Rss: 4 kB", "a-b", "1000-2000 r--p", "1000-2000 r--p 0 00:00 x",
                                 "VmFlags: rd-ex mr 0 00:00 0", "10000000000000000-2 r--p 0 00:00 0"}) {
            QTest::newRow(line) << line;
        }
    }
    void refusesOtherLinesAsHeaders() {
        QFETCH(QString, line);
        QVERIFY(!parseMappingHeader(line.toStdString()).has_value());
    }

    void readerAddsUpTheMappingsAskedFor() {
        // Buffers of the reader end anywhere in a line: a text of many mappings crosses several of them.
        const Tree tree;
        std::string text;
        for (int i = 1; i <= 4000; ++i) {
            text += QString::asprintf("%x000-%x000 r--p 00000000 08:01 9   /file %d\n", i * 2, i * 2 + 1, i)
                        .toStdString();
            text += "Rss:                   4 kB\nFilePmdMapped:        2 kB\nTHPeligible:           0\n";
        }
        text.pop_back();
        tree.file("smaps", text);
        SmapsReader reader(tree.path("smaps").c_str());
        const AddressRange all[] = {{0, UINT64_MAX}};
        QCOMPARE(reader.sum(all)->rss, std::optional(kib(4) * 4000));
        QCOMPARE(reader.sum(all)->filePmdMapped, std::optional(kib(2) * 4000));
        const AddressRange two[] = {{0x2000, 0x3000}, {2000U * 0x1000, 2000U * 0x1000 + 1}};
        QCOMPARE(reader.sum(two)->rss, std::optional(kib(8)));
        QCOMPARE(reader.sum(two)->thpEligible, std::optional(false));
        QVERIFY(!reader.sum(two)->anonHuge.has_value());
        const AddressRange none[] = {{0x3000, 0x4000}};
        QVERIFY(!reader.sum(none).has_value());
        QVERIFY(!reader.sum({}).has_value());
    }
    void readerSeesThisProcess() {
        const std::size_t length = 64 * pageSize().size();
        char* memory = static_cast<char*>(
            ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        QVERIFY(memory != MAP_FAILED);
        // Neighbours could be merged with it otherwise.
        ::madvise(memory, length, MADV_NOHUGEPAGE);
        const auto begin = reinterpret_cast<std::uint64_t>(memory);
        const AddressRange range[] = {{begin, begin + length}};
        SmapsReader reader;
        const auto before = reader.sum(range);
        std::memset(memory, 1, length / 2);
        const auto after = reader.sum(range);
        ::munmap(memory, length);
        QVERIFY(before && after);
        QCOMPARE(before->rss, std::optional(Bytes(0)));
        QCOMPARE(after->rss, std::optional(pageSize() * 32));
        QCOMPARE(after->anonymous, std::optional(pageSize() * 32));
    }
};

QTEST_GUILESS_MAIN(TestSmaps)
#include "tst_smaps.moc"
