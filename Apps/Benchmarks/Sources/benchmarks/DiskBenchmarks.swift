import Foundation
import ImageCore
import ImageDiskCaching

/// The processor time of a disk operation, compared with plain files.
struct DiskComparison: Encodable {
    var operation: String
    var contender: String
    /// The processor time of all threads per entry, the minimum of all rounds.
    var microseconds: Double
    /// The ratio to plain files in the same run.
    var ratio: Double
    /// The upper limit of `ratio`, or `nil` for plain files.
    var goal: Double?

    static let heading =
        "disk, page cache hot".padding(toLength: 54, withPad: " ", startingAt: 0)
        + "  processor    ratio     goal"

    var line: String {
        "\(operation): \(contender)".padding(toLength: 54, withPad: " ", startingAt: 0)
            + String(format: "%8.2f us  %7.2f", microseconds, ratio)
            + (goal.map { String(format: "  <= %4.2f %@", $0, ratio <= $0 ? "met" : "NOT met") } ?? "")
    }
}

/// Compares the disk cache with plain files, alternately in one run, with all data in the page cache.
enum DiskBenchmarks {
    private struct Size {
        var name: String
        var byteCount: Int
        var entryCount: Int
        var getGoal: Double
        var putGoal: Double
    }

    private static let sizes = [
        Size(name: "20 kB", byteCount: 20_480, entryCount: 10_000, getGoal: 1.8, putGoal: 1.6),
        Size(name: "200 kB", byteCount: 204_800, entryCount: 2_000, getGoal: 1.5, putGoal: 1.4),
    ]
    private static let rounds = 20

    @concurrent
    static func run() async throws -> [DiskComparison] {
        var results: [DiskComparison] = []
        for size in sizes { results += try await withTemporaryFolder { try await compare(size, in: $0) } }
        return results
    }

    private static func compare(_ size: Size, in folder: URL) async throws -> [DiskComparison] {
        let contenders = try makeContenders(size, folder)
        let puts = try await leastOfPuts(contenders, size)
        let gets = try await leastOfGets(contenders, size)
        let text = "\(size.name) of \(size.entryCount)"
        return compared("get \(text)", gets, contenders, size.getGoal)
            + compared("put \(text)", puts, contenders, size.putGoal)
    }

    private static func makeContenders(_ size: Size, _ folder: URL) throws -> [any DiskContender] {
        let data = Data((0..<size.byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) })
        let cache = DiskDataCache(directory: folder.appending(path: "cache"), byteLimit: .max, now: { Date() })
        return [
            try PlainFilesContender(folder: folder.appending(path: "files"), data: data),
            DiskCacheContender(cache: cache, data: data),
        ]
    }

    /// Fills all stores alternately. Returns the least microseconds per entry, in the order of the contenders.
    private static func leastOfPuts(_ contenders: [any DiskContender], _ size: Size) async throws -> [Double] {
        let batch = size.entryCount / rounds
        var least = contenders.map { _ in Double.infinity }
        for round in 0..<rounds {
            for (index, contender) in contenders.enumerated() {
                let time = try await contender.put(round * batch..<(round + 1) * batch)
                least[index] = min(least[index], time / Double(batch))
            }
        }
        return least
    }

    /// Reads the same entries of each store alternately, in pseudorandom order.
    /// Returns the least microseconds per entry, in the order of the contenders.
    private static func leastOfGets(_ contenders: [any DiskContender], _ size: Size) async throws -> [Double] {
        let batch = 400
        var least = contenders.map { _ in Double.infinity }
        for round in 0..<rounds {
            let numbers = (0..<batch).map { (round * batch + $0) &* 7_919 % size.entryCount }
            for (index, contender) in contenders.enumerated() {
                let time = try await contender.get(numbers)
                least[index] = min(least[index], time / Double(batch))
            }
        }
        return least
    }

    private static func compared(
        _ operation: String, _ times: [Double], _ contenders: [any DiskContender], _ goal: Double
    ) -> [DiskComparison] {
        zip(times, contenders).map { time, contender in
            // The first contender is the baseline.
            DiskComparison(
                operation: operation, contender: contender.name, microseconds: time, ratio: time / times[0],
                goal: contender is DiskCacheContender ? goal : nil)
        }
    }
}
