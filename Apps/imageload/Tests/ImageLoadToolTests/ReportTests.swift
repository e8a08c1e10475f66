import Foundation
import ImageCore
import Synchronization
import Testing

@testable import ImageLoadTool

@Suite("Reports")
struct ReportTests {
    private let loaded = LoadReport(
        url: "http://h/a.png",
        outcome: .success(
            LoadReport.OutputImage(
                source: .disk, format: .png, size: PixelSize(width: 30, height: 20), frames: 1, bytes: 52_000)),
        elapsed: .nanoseconds(1_233_600))
    private let failed = LoadReport(
        url: "http://h/b", outcome: .failure(ToolFailure(status: .network, line: "b: broken. Try again.")),
        elapsed: .milliseconds(5))

    @Test("JSON has all keys: error is null for a loaded image, source for a failure")
    func json() throws {
        let failure = try object(failed.json())
        #expect(failure["status"] as? String == "failed" && failure["source"] is NSNull)
        #expect(failure["error"] as? String == "b: broken. Try again.")
        let object = try ImageLoadToolTests.object(loaded.json())
        #expect(Set(object.keys) == Set(failure.keys))
        #expect(
            Set(object.keys) == [
                "url", "status", "source", "format", "width", "height", "frames", "bytes", "milliseconds", "error",
            ])
        #expect(object["status"] as? String == "ok")
        #expect(object["source"] as? String == "disk")
        #expect(object["width"] as? Int == 30)
        #expect(object["bytes"] as? Int == 52_000)
        #expect(object["milliseconds"] as? Double == 1.234)
        #expect(object["error"] is NSNull)
    }

    @Test("the last line has each source, failures and the total")
    func summary() {
        let line = LoadSummary(reports: [loaded, loaded, failed], elapsed: .seconds(1)).line
        #expect(line == "3 images in 1.00 s: disk 2 (104.0 kB), failed 1")
    }

    @Test(
        "each failure has an exit code and one line with advice",
        arguments: [
            (.invalidURL("x"), .usage), (.network(.timedOut, "t"), .network), (.httpStatus(500), .network),
            (.notFound, .noInput), (.offline, .network), (.tooLarge(byteLimit: 1), .tooLarge),
            (.decoding(.unknownFormat), .notAImage), (.decoding(.truncated(.png)), .notAImage),
            (.decoding(.malformed(.gif, "m")), .notAImage),
            (.decoding(.limitExceeded(.pixels, value: 2, allowed: 1)), .tooLarge),
        ] as [(ImageError, ToolStatus)])
    func failures(error: ImageError, status: ToolStatus) {
        let failure = ToolFailure(error, subject: "u")
        #expect(failure.status == status)
        #expect(failure.line.hasPrefix("u: "))
        #expect(!failure.line.contains("\n"))
        #expect(failure.line.split(separator: ". ").count >= 2, "has advice: \(failure.line)")
    }

    @Test(
        "the line of a file has what it became, what was saved and how similar it is",
        arguments: [
            (.written, nil, "b.webp: 40x30 2.0 kB -> 1.0 kB, lossless, SSIM 0.9800"),
            (.written, 70, "b.webp: 40x30 2.0 kB -> 1.0 kB, quality 70, SSIM 0.9800"),
            (.possible, 70, "b.webp: 40x30 2.0 kB -> 1.0 kB, quality 70, SSIM 0.9800 possible"),
            (.unchanged, nil, "b.webp: 2.0 kB -> 1.0 kB, reason"), (.skipped, nil, "b.webp: up to date"),
            (.failed, nil, nil), (.unsupported, nil, nil),
        ] as [(FileReport.Status, Int?, String?)])
    func fileLine(status: FileReport.Status, quality: Int?, line: String?) {
        var report = FileReport(file: "a.png", status: status)
        report.output = "b.webp"
        report.width = 40
        report.height = 30
        report.inputBytes = 2_000
        report.outputBytes = 1_000
        report.quality = quality
        report.ssim = 0.98
        report.notes = ["reason"]
        #expect(report.line == line)
    }

    @Test("the totals have the number of files of each kind, and the bytes of those that were made")
    func totals() {
        var totals = FileReportTotals()
        #expect(totals.line == "no images")
        for status in [FileReport.Status.failed, .unsupported, .skipped] {
            var report = FileReport(file: "a", status: status)
            report.notes = ["note"]
            totals.add(report)
        }
        #expect(totals.line == "1 skipped, 1 unsupported, 1 failed")
        #expect(totals.notes == ["note": 3])
        var written = FileReport(file: "b", status: .written)
        written.inputBytes = 2_000
        written.outputBytes = 1_000
        totals.add(written)
        #expect(totals.line == "1 written, 1 skipped, 1 unsupported, 1 failed: 2.0 kB -> 1.0 kB")
    }

    @Test("the first failure of the disk cache is told")
    func diskFailure() {
        let recorder = EventRecorder(trace: nil)
        for failure in [DataCacheError.noSpace, .io("later")] {
            recorder.handle(ImageLoadEvent(requestID: nil, url: nil, kind: .diskFailed(failure)))
        }
        #expect(recorder.diskFailure == .noSpace)
    }

    @Test("images get unique names from the last path component of their address")
    func names() {
        #expect(
            ImageWriter.names(for: [
                "http://h/a/pic.jpg?w=3", "http://h/b/PIC.png", "http://h/", "data:image/png;base64,AA", "/tmp/..",
                "x/ä b.gif", "http://h/q?x=/y.z", "http://h/f#/g",
            ]) == ["pic", "PIC-2", "h", "image", "image-2", "__b", "q", "f"])
    }
}

@Suite("Progress display")
struct ProgressDisplayTests {
    private final class Screen: Sendable {
        private let text = Mutex("")
        var contents: String { text.withLock { $0 } }
        func write(_ more: String) { text.withLock { $0 += more } }
    }

    private final class Notices: Sendable {
        private let texts = Mutex<[String?]>([])
        var all: [String?] { texts.withLock { $0 } }
        func add(_ text: String?) { texts.withLock { $0.append(text) } }
    }

    @Test("draws what is in progress and a total with the time left, within the terminal's width, and erases both")
    func bars() {
        let screen = Screen()
        let display = ProgressDisplay(
            isInteractive: true, total: 3, uptime: { .seconds(61) }, write: screen.write, terminalSize: { (40, 24) })
        display.started(0, "http://example.org/a-very-long-address-that-does-not-fit.jpg")
        display.started(1, String(repeating: "\u{5B57}", count: 40))
        display.draw()
        let lines = screen.contents.split(separator: "\n")
        #expect(lines.map(\.count) == [39, 19, 39])
        #expect(lines[2] == "[                    ] 0 of 3, 1:01 so ")
        display.progressed(0, WorkProgress(completedByteCount: 2, totalByteCount: 4))
        display.finished(1, summary: "1 written")
        display.draw()
        let erasing = String(repeating: "\u{1B}[1A\u{1B}[2K", count: 3)
        #expect(screen.contents.contains("\(erasing)[==========          ] 2 B"))
        #expect(screen.contents.hasSuffix("[==========          ] 1 of 3, 1:01 lef\n"))
        display.interrupt { #expect(screen.contents.hasSuffix("\n\u{1B}[1A\u{1B}[2K\u{1B}[1A\u{1B}[2K")) }
        let count = screen.contents.count
        display.draw()
        #expect(!screen.contents.dropFirst(count).contains("\u{1B}[1A"), "nothing is drawn that could be erased")
    }

    @Test("a signal tells what is done, and nothing after the end")
    func notice() async {
        let notices = Notices()
        let display = ProgressDisplay(isInteractive: false, total: 2, write: { _ in }, notify: notices.add)
        await display.whileDrawing { display.finished(0, summary: "1 written") }
        #expect(notices.all.first == "imageload: interrupted: 0 of 2 done\n")
        #expect(notices.all.contains("imageload: interrupted: 1 of 2 done: 1 written\n"))
        #expect(notices.all.last == .some(nil))
    }

    @Test("as many lines are drawn as fit into the terminal, with the total")
    func rows() {
        let screen = Screen()
        let display = ProgressDisplay(
            isInteractive: true, total: 9, uptime: { .zero }, write: screen.write, terminalSize: { (40, 5) })
        for index in 0..<6 { display.started(index, "a") }
        display.draw()
        #expect(screen.contents.split(separator: "\n").count == 3)
    }

    @Test(
        "bars show the fraction, clamped to 0 to 1",
        arguments: [(0.5, "[==  ]"), (0.99, "[=== ]"), (2, "[====]"), (-1, "[    ]")])
    func bar(fraction: Double, expected: String) {
        #expect(ProgressDisplay.bar(fraction, width: 4) == expected)
    }
}

@Suite("Server window")
struct ServerWindowTests {
    @Test("a server has some addresses in progress at a time and holds up no other, and each address comes once")
    func slowServer() {
        let slow = (0..<20).map { "http://slow/\($0)" }
        var window = ServerWindow(slow + ["http://fast/a", "file.png", "http://slow:8080/b"], limit: 3)
        #expect(window.first() == [0, 1, 2, 20, 21, 22])
        #expect(window.next(after: 20) == nil)
        let rest = (0..<20).map { window.next(after: $0) }
        #expect(rest == (3..<20).map { $0 } + [nil, nil, nil])
        var many = ServerWindow((0..<99).map { "http://\($0)/" }, limit: 2)
        #expect(many.first().count == 2 * ServerWindow.servers && many.next(after: 0) == 16)
        var again = ServerWindow((0..<9).map { "http://\($0)/" } + ["http://0/again"], limit: 1)
        #expect(again.first() == Array(0..<8) && again.next(after: 0) == 8 && again.next(after: 1) == 9)
    }
}

@Suite("Contact sheet")
struct ContactSheetTests {
    private func tile(_ color: [UInt8], in space: ColorSpace = .sRGB) -> ContactSheet.Tile {
        let bitmap = Bitmap(
            size: PixelSize(width: 4, height: 4), pixels: Array((0..<16).map { _ in color }.joined()),
            isOpaque: color[3] == 255, colorSpace: space)
        let header = ImageHeader(format: .png, storedSize: bitmap.size)
        return ContactSheet.Tile(
            LoadedImage(decoded: DecodedImage(bitmap: bitmap, header: header), source: .disk, encodedByteCount: 1),
            elapsed: .milliseconds(12))
    }

    private func pixel(_ bitmap: Bitmap, _ x: Int, _ y: Int) -> [UInt8] {
        Array(bitmap.pixels[(y * bitmap.size.width + x) * 4..<(y * bitmap.size.width + x) * 4 + 4])
    }

    @Test("arranges images in rows, centered in their cells, and marks failures")
    func layout() {
        let sheet = ContactSheet(columns: 2, cell: PixelSize(width: 40, height: 30))
            .draw([tile([200, 0, 0, 255]), nil, tile([0, 200, 0, 255])])
        #expect(sheet.size == PixelSize(width: 8 + 2 * 48, height: 8 + 2 * 53))
        #expect(pixel(sheet, 8 + 20, 8 + 15) == [200, 0, 0, 255])
        #expect(pixel(sheet, 8 + 48 + 20, 8 + 15) == [58, 36, 38, 255])
        #expect(pixel(sheet, 8 + 20, 8 + 53 + 15) == [0, 200, 0, 255])
        #expect(pixel(sheet, 8, 8 + 30) == [80, 140, 230, 255])
        let gap = (48..<56).flatMap { x in (0..<sheet.size.height).map { y in pixel(sheet, x, y) } }
        #expect(Set(gap) == [[24, 25, 28, 255]], "captions end with their cell")
        #expect(sheet.isOpaque)
    }

    @Test("shows a checkerboard behind transparent pixels")
    func transparency() {
        let sheet = ContactSheet(columns: 1, cell: PixelSize(width: 4, height: 4)).draw([tile([255, 255, 255, 0])])
        #expect(pixel(sheet, 8, 8) == [70, 70, 70, 255])
    }

    @Test("is in sRGB: images in Display P3 are converted")
    func color() {
        let sheet = ContactSheet(columns: 1, cell: PixelSize(width: 4, height: 4))
            .draw([tile([234, 51, 35, 255], in: .displayP3)])
        #expect(sheet.colorSpace == .sRGB)
        #expect(pixel(sheet, 8, 8) == [255, 0, 0, 255])
    }

    @Test("captions show format, source and time")
    func caption() {
        #expect(tile([0, 0, 0, 255]).caption == "png disk 12 MS")
    }
}

@Suite("Measurements")
struct MeasurementTests {
    @Test("measures the peak of memory that has been freed")
    func peak() {
        let (_, bytes) = PeakMemory.growth { [UInt8](repeating: 1, count: 80 << 20).count }
        #expect(bytes > 60 << 20)
        #expect(bytes < 160 << 20)
    }

    @Test("completeness is present only for an incomplete image")
    func completeness() throws {
        let bitmap = Bitmap(size: PixelSize(width: 1, height: 1), pixels: [0, 0, 0, 0], isOpaque: false)
        let header = ImageHeader(format: .png, storedSize: bitmap.size)
        let cut = DecodeReport(DecodedImage(bitmap: bitmap, header: header, completeness: .truncated))
        #expect(try cut.json().contains("\"completeness\":\"truncated\""))
        #expect(cut.line.hasSuffix("truncated"))
        let whole = DecodeReport(DecodedImage(bitmap: bitmap, header: header))
        #expect(try !whole.json().contains("completeness"))
    }

    @Test(
        "the color of a file is the name of its profile, or of its primaries and transfer function",
        arguments: [
            (SourceColor(), "sRGB"), (SourceColor(primaries: .displayP3), "Display P3"),
            (SourceColor(profile: ColorSpace.displayP3.profile ?? Data()), "Display P3"),
            (SourceColor(profile: Data(count: 200)), "unnamed profile"),
            (SourceColor(primaries: 9, transfer: 16), "BT.2020 PQ"),
            (SourceColor(primaries: 9, transfer: 18), "BT.2020 HLG"), (SourceColor(transfer: .gamma(1)), "sRGB linear"),
            (SourceColor(transfer: .gamma(2.2)), "sRGB gamma 2.2"),
        ] as [(SourceColor?, String)])
    func sourceColor(color: SourceColor?, name: String) {
        #expect(color?.name == name)
    }

    @Test("a report of an image names both colors and a gain map")
    func colors() {
        let bitmap = Bitmap(
            size: PixelSize(width: 1, height: 1), pixels: [0, 0, 0, 255], isOpaque: true, colorSpace: .displayP3)
        let color = SourceColor(primaries: .displayP3)
        let header = ImageHeader(format: .heic, storedSize: bitmap.size, color: color, hasGainMap: true)
        let report = DecodeReport(DecodedImage(bitmap: bitmap, header: header))
        #expect(report.gainMap && report.color == "p3" && report.sourceColor == "Display P3")
        #expect(report.line == "heic 1x1, opaque, Display P3, decoded to p3, gain map")
    }
}
