internal import ImageCore
internal import ImageLoaderKit
internal import ImageLoading
internal import ImagePresenting
internal import ImagePresentingGTK

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Scrolls to the end of a grid with 24 visible cells. Measures the processor time of the main thread for each frame.
final class ScrollMeasurement {
    /// What the cells show.
    enum Content: CaseIterable {
        /// Images that don't change.
        case stills
        /// The control: stills, of which GTK alone changes as many in each frame as animations change.
        case changedStills
        /// Animations of 24 frames of 50 ms. Every twentieth cell shows the same one of 12,000 frames.
        case animations
    }

    /// The number of frames of the screen for which an animation shows a frame.
    private static let framesPerChange = 3

    private let content: Content
    private let window = Widget.window()
    private let list: CellList<MeasuredCell>
    private var meter = FrameMeter()
    private let animations: WindowClock
    private var times: [Duration] = []
    private var ticks = 0
    private var changes = 0

    private init(_ content: Content, cells: Int, files: AnimationFiles) {
        self.content = content
        var options = ImageLoaderOptions(cacheDirectory: nil)
        options.memoryByteLimit = 20_000_000
        let loader = options.makeLoader()
        animations = WindowClock(window)
        var changed: () -> Void = {}
        list = CellList(.grid(columns: 4...4)) { [clock = animations.clock] in
            MeasuredCell(
                LoadingImageView(loader: loader, width: MeasuredCell.side, height: MeasuredCell.side, clock: clock),
                onFrame: { changed() }
            ) { files.request(at: $0, isAnimated: content == .animations) }
        }
        changed = { [unowned self] in changes += 1 }
        list.count = cells
        unsafe gtk_window_set_child(window.cast(to: GtkWindow.self), list.widget.pointer)
        unsafe gtk_window_set_default_size(window.cast(to: GtkWindow.self), 700, 1000)
    }

    /// Measures each content six times, in turn first, second and last, and prints the results and their medians.
    static func run(cells: Int) throws {
        let files = try AnimationFiles()
        var percentiles: [Content: [Duration]] = [:]
        for round in 1...6 {
            print("round \(round)")
            for content in Content.allCases.rotated(by: round) {
                let measurement = ScrollMeasurement(content, cells: cells, files: files)
                measurement.measure()
                percentiles[content, default: []].append(measurement.time(of: 0.95))
                print("\(content): \(measurement.summary)")
            }
        }
        for content in Content.allCases {
            let median = percentiles[content, default: []].sorted()[2...3].reduce(.zero, +) / 2
            print("\(content): median of the 95th percentiles \(milliseconds(median)) ms")
        }
    }

    private func measure() {
        unsafe gtk_window_present(window.cast(to: GtkWindow.self))
        defer { unsafe gtk_window_destroy(window.cast(to: GtkWindow.self)) }
        _ = GtkMainLoop.run(upTo: 60) { !list.onScreen.isEmpty && list.onScreen.allSatisfy { $0.cell.isLoaded } }
        changes = 0
        animations.onFrame = { [unowned self] in frameEnded() }
        scroll()
        _ = GtkMainLoop.run(upTo: 600) { list.offset >= list.largestOffset }
        animations.onFrame = {}
        times.sort()
    }

    private func frameEnded() {
        if let duration = meter.frameEnded() { times.append(duration) }
        scroll()
    }

    /// Scrolls by a sixteenth of a row, which needs another frame.
    private func scroll() {
        ticks += 1
        list.offset += 10.5
        if content == .changedStills { changePictures() }
    }

    /// Gives a third of the pictures the image of their neighbor.
    private func changePictures() {
        let pictures = unsafe list.onScreen.compactMap { unsafe $0.cell.image.view.shownPicture }
        for index in unsafe pictures.indices where (index + ticks) % Self.framesPerChange == 0 {
            let neighbor = unsafe pictures[(index + 1) % pictures.count]
            unsafe gtk_picture_set_paintable(pictures[index], gtk_picture_get_paintable(neighbor))
            changes += 1
        }
    }

    /// The time that a share of all frames doesn't exceed.
    private func time(of share: Double) -> Duration { times[Int(Double(times.count - 1) * share)] }

    private var summary: String {
        let changesPerFrame = (Double(changes) / Double(max(1, ticks)) * 10).rounded() / 10
        return "median \(milliseconds(time(of: 0.5))) ms, 95th percentile \(milliseconds(time(of: 0.95))) ms, "
            + "\(changesPerFrame) pictures changed per frame, \(residentBytes() / 1_000_000) MB"
    }
}

/// Returns a time in milliseconds with two decimals.
private func milliseconds(_ time: Duration) -> Double { (time / .microseconds(10)).rounded() / 100 }

extension Array {
    fileprivate func rotated(by distance: Int) -> Self {
        indices.map { self[($0 + distance) % count] }
    }
}

/// A cell with an image and nothing else.
private final class MeasuredCell: RecycledCell {
    static let side = 160

    let image: LoadingImageView
    private let request: (Int) -> ImageRequest

    init(_ image: LoadingImageView, onFrame: @escaping () -> Void, request: @escaping (Int) -> ImageRequest) {
        self.image = image
        self.request = request
        image.onChange = { [unowned image] in if image.appearance.isAnimating { onFrame() } }
    }

    var widget: Widget { image.widget }
    var isLoaded: Bool { image.appearance.kind == .final }

    func bind(to position: Int) { image.load(request(position), description: "") }

    func unbind() { image.cancelLoading() }

    func setOnScreen(_ isOnScreen: Bool) { image.setOnScreen(isOnScreen) }
}

/// The files of a measurement: a GIF of 240 by 240 pixels in which a bar moves over stripes.
private struct AnimationFiles {
    private let still: Data
    private let short: Data
    private let long: Data

    init() throws {
        still = try Self.file(frames: 1)
        short = try Self.file(frames: 24)
        long = Self.repeated(short, 500)
    }

    func request(at position: Int, isAnimated: Bool) -> ImageRequest {
        let isLong = isAnimated && position % 20 == 0
        let name = isLong ? "long" : "\(isAnimated) \(position)"
        return ImageRequest(
            .data(isLong ? long : isAnimated ? short : still, name: name),
            target: .fill(PixelSize(width: MeasuredCell.side, height: MeasuredCell.side)),
            processors: [PackedPixels()])
    }

    private static func file(frames: Int) throws -> Data {
        let side = 240
        let images = (0..<frames).map { number in
            let pixels = (0..<side * side).flatMap { pixel -> [UInt8] in
                let (x, y) = (pixel % side, pixel / side)
                return y / 40 == number % 6 ? [250, UInt8(number * 10), 0, 255] : [0, UInt8(x / 30 * 30), 90, 255]
            }
            let bitmap = Bitmap(size: PixelSize(width: side, height: side), pixels: pixels, isOpaque: true)
            return AnimationFrame(bitmap: bitmap, delay: .milliseconds(50))
        }
        guard let encoder = ImageEncoders.encoder(for: .gif) else { throw EncodingFailure.animationUnsupported(.gif) }
        return try encoder.encode(images, loopCount: 0, options: EncodingOptions())
    }

    /// Returns a GIF whose frames are those of another one, several times.
    private static func repeated(_ file: Data, _ count: Int) -> Data {
        // The first graphic control extension begins the first frame, and the last byte ends the file.
        guard let start = file.firstRange(of: [0x21, 0xF9, 0x04])?.lowerBound else { return file }
        let frames = file[start..<file.endIndex - 1]
        return (0..<count).reduce(into: file[..<start]) { result, _ in result += frames } + file.suffix(1)
    }
}

/// The resident memory of the process, in bytes.
private func residentBytes() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
}
