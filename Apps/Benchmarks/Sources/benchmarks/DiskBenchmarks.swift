import Foundation

/// Compares the disk cache with plain files, alternately in one run, with all data in the page cache.
///
/// Figures are the processor time of all threads per entry, the median of all rounds. A round is a few milliseconds of each
/// contender, so that what else the machine does affects all of them equally. Stores are compared with plain files that are
/// written on a queue: no thread of Swift's pool may wait for a device.
enum DiskBenchmarks {
    private struct Size {
        var name: String
        var byteCount: Int
        var entryCount: Int
        var batch: Int
        var getGoal: Double
        var putGoal: Double
    }

    private static let sizes = [
        Size(name: "20 kB", byteCount: 20_480, entryCount: 10_000, batch: 20, getGoal: 1.8, putGoal: 1.6),
        Size(name: "200 kB", byteCount: 204_800, entryCount: 1_000, batch: 5, getGoal: 1.5, putGoal: 1.6),
    ]

    @concurrent
    static func run() async throws -> [Figure] {
        // One folder, because ext4 creates files more slowly for some minutes after many were removed.
        try await withTemporaryFolder { folder in
            var results: [Figure] = []
            for size in sizes { results += try await compare(size, in: folder.appending(path: size.name)) }
            return results
        }
    }

    private static func compare(_ size: Size, in folder: URL) async throws -> [Figure] {
        let contenders = try await makeContenders(size, folder)
        let text = "\(size.name) of \(size.entryCount)"
        let puts = try await medians(contenders, size) { contender, numbers in try await contender.put(numbers) }
        let gets = try await medians(contenders, size) { contender, numbers in
            // In pseudorandom order.
            try await contender.get(numbers.map { $0 &* 7_919 % size.entryCount })
        }
        return compared("get \(text)", gets, to: PlainFilesContender.self, contenders, size.getGoal)
            + compared("put \(text)", puts, to: QueuedFilesContender.self, contenders, size.putGoal)
    }

    private static func makeContenders(_ size: Size, _ folder: URL) async throws -> [any DiskContender] {
        let data = Data((0..<size.byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) })
        return [
            try PlainFilesContender(folder: folder.appending(path: "files"), data: data),
            try QueuedFilesContender(folder: folder.appending(path: "queued"), data: data),
            try await DiskCacheContender(folder: folder.appending(path: "cache"), data: data),
        ]
    }

    /// Runs an operation with all entries of all contenders, in small batches and in changing order.
    /// Returns the median of microseconds per entry, in the order of the contenders.
    private static func medians(
        _ contenders: [any DiskContender], _ size: Size,
        _ operation: (any DiskContender, Range<Int>) async throws -> Double
    ) async throws -> [Double] {
        var times = contenders.map { _ in [Double]() }
        for (round, start) in stride(from: 0, to: size.entryCount, by: size.batch).enumerated() {
            for turn in contenders.indices {
                let index = (turn + round) % contenders.count
                let time = try await operation(contenders[index], start..<start + size.batch)
                times[index].append(time / Double(size.batch))
            }
        }
        return times.map { $0.sorted()[$0.count / 2] }
    }

    private static func compared<Baseline: DiskContender>(
        _ operation: String, _ times: [Double], to baseline: Baseline.Type, _ contenders: [any DiskContender],
        _ goal: Double
    ) -> [Figure] {
        let baseline = contenders.firstIndex { $0 is Baseline } ?? 0
        return zip(times, contenders).map { time, contender in
            Figure(
                name: "\(operation): \(contender.name)", value: time, unit: "µs", ratio: time / times[baseline],
                goal: contender is DiskCacheContender ? goal : nil)
        }
    }
}
