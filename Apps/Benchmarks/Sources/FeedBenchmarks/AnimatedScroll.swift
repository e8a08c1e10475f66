internal import CTransportFloor
internal import ImageCore
internal import ImageLoaderKit
internal import ImageLoading
internal import ImagePresenting

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Scrolls at 60 frames per second through a grid of cells, of which 24 are visible, each with an image of its own.
///
/// A frame's time is the processor time of the main thread for it: ticks of the clock, and cells that appear and
/// disappear. Drawing is not included.
@MainActor
final class AnimatedScroll {
    /// The times and memory of a scroll to the end.
    struct Round: Encodable {
        var isAnimated: Bool
        /// The medians and 95th percentiles of a frame, in microseconds.
        var p50, p95: Double
        var longest: Double
        /// The number of frames of animations that were shown.
        var shownFrames: Int
        /// The resident memory of the process.
        var residentBytes: Int
    }

    private static let columns = 4, visibleRows = 6, framesPerRow = 15
    private static let frameTime = Duration.seconds(1) / 60

    private let requests: [ImageRequest]
    private let isAnimated: Bool
    private let loader: ImageLoader
    private let clock = AnimationClock { _ in }
    private var cells: [Int: Cell] = [:]
    private var shownFrames = 0

    private final class Cell: ImageSurface {
        let binding: ImageBinding
        var onFrame: () -> Void = {}

        init(_ loader: ImageLoader, _ clock: AnimationClock) {
            binding = ImageBinding(loader: loader, clock: clock)
            binding.surface = self
        }

        func render(_ appearance: ImageAppearance) { if appearance.isAnimating { onFrame() } }
    }

    init(cells: Int, isAnimated: Bool, loader: ImageLoader) throws {
        self.isAnimated = isAnimated
        self.loader = loader
        let file = try Self.file(frames: isAnimated ? 24 : 1)
        requests = (0..<cells).map {
            ImageRequest(.data(file, name: "\(isAnimated) \($0)"), target: .fill(PixelSize(width: 160, height: 160)))
        }
    }

    /// Returns a GIF of 240 by 240 pixels in which a bar moves over stripes.
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
        guard let encoder = ImageEncoders.encoder(for: .gif) else { throw FeedRun.Failure.noImages }
        return try encoder.encode(images, loopCount: 0, options: EncodingOptions())
    }

    /// Scrolls to the end.
    func run() async throws -> Round {
        let rows = requests.count / Self.columns
        let start = ContinuousClock.now
        var times: [Double] = []
        shownFrames = 0
        for frame in 0..<max(0, rows - Self.visibleRows) * Self.framesPerRow {
            let time = Self.frameTime * frame
            let before = Self.threadSeconds()
            show(rows: frame / Self.framesPerRow)
            clock.tick(at: time)
            times.append((Self.threadSeconds() - before) * 1e6)
            try await ContinuousClock().sleep(until: start + time + Self.frameTime)
        }
        for number in cells.keys { hide(number) }
        times.sort()
        return Round(
            isAnimated: isAnimated, p50: times[times.count / 2], p95: times[times.count * 95 / 100],
            longest: times[times.count - 1], shownFrames: shownFrames, residentBytes: Int(floor_resident_bytes()))
    }

    private func show(rows first: Int) {
        let visible = first * Self.columns..<min(requests.count, (first + Self.visibleRows) * Self.columns)
        for number in cells.keys where !visible.contains(number) { hide(number) }
        for number in visible where cells[number] == nil {
            let cell = Cell(loader, clock)
            cell.onFrame = { [unowned self] in shownFrames += 1 }
            cells[number] = cell
            cell.binding.bind(requests[number])
        }
    }

    private func hide(_ number: Int) { cells.removeValue(forKey: number)?.binding.unbind() }

    private static func threadSeconds() -> Double {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
