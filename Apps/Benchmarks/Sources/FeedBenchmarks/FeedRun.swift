internal import CTransportFloor
internal import ImageCore

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The time and memory of showing images at 300 pixels.
struct FeedRun: Encodable {
    /// The size at which images are shown.
    static let target = ImageTarget(PixelSize(width: 300, height: 300))

    var images: Int
    var seconds: Double
    /// The processor time of all threads.
    var processorSeconds: Double
    /// The resident memory of the process at the end.
    var residentBytes: Int
    /// The greatest resident memory of the process so far.
    var peakBytes: Int
    /// How many images each source had.
    var sources: [String: Int]

    /// A problem that makes the measurement invalid.
    enum Failure: Error {
        case noImages
        case invalidURL
        /// An image didn't have the size at which it is shown.
        case wrongSize
    }

    /// Shows images, and prints the time and memory as a line of JSON.
    ///
    /// - Parameters:
    ///   - count: The number of images.
    ///   - concurrency: The number of images at a time.
    ///   - show: Shows the image with a number below `count`. Returns its size and source.
    static func measure(
        _ count: Int, atOnce concurrency: Int,
        _ show: @escaping @Sendable (Int) async throws -> (PixelSize, ImageSource)
    ) async throws {
        let (start, processor) = (ContinuousClock.now, processorSeconds())
        let sources = try await showAll(count, concurrency, show)
        let run = FeedRun(
            images: count, seconds: (ContinuousClock.now - start) / .seconds(1),
            processorSeconds: processorSeconds() - processor,
            residentBytes: Int(floor_resident_bytes()), peakBytes: Int(floor_peak_resident_bytes()), sources: sources)
        print(String(decoding: try JSONEncoder().encode(run), as: UTF8.self))
        fflush(nil)
    }

    private static func showAll(
        _ count: Int, _ concurrency: Int, _ show: @escaping @Sendable (Int) async throws -> (PixelSize, ImageSource)
    ) async throws -> [String: Int] {
        var sources: [String: Int] = [:]
        try await withThrowingTaskGroup(of: ImageSource.self) { group in
            for number in 0..<count {
                if number >= concurrency, let source = try await group.next() {
                    sources[source.rawValue, default: 0] += 1
                }
                group.addTask {
                    let (size, source) = try await show(number)
                    guard max(size.width, size.height) == 300 else { throw Failure.wrongSize }
                    return source
                }
            }
            for try await source in group { sources[source.rawValue, default: 0] += 1 }
        }
        return sources
    }

    private static func processorSeconds() -> Double {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
