import Foundation
import ImageCore
import ImageLoading

/// Loads a list of addresses, `width` at a time, and reports each in the order of the list.
struct LoadRunner: Sendable {
    /// An address of the list, and its request or the error of parsing it.
    struct Item: Sendable {
        var index: Int
        var address: String
        var request: Result<ImageRequest, ToolFailure>
    }

    /// Loads one item.
    typealias Load =
        @Sendable (
            _ item: Item, _ request: ImageRequest, _ onProgress: @escaping @Sendable (WorkProgress) -> Void
        ) async throws -> LoadReport.OutputImage

    var width: Int
    var display: ProgressDisplay
    var load: Load

    /// Loads all items and returns their reports in the order of `items`.
    ///
    /// - Parameter each: Receives each report as soon as it and all previous ones are available.
    func run(_ items: [Item], each: (LoadReport) throws -> Void) async throws -> [LoadReport] {
        try await withThrowingTaskGroup(of: (Int, LoadReport).self) { group in
            var waiting = items.makeIterator()
            var done: [Int: LoadReport] = [:]
            var reports: [LoadReport] = []
            for _ in 0..<width {
                guard let item = waiting.next() else { break }
                group.addTask { (item.index, await report(item)) }
            }
            while let (index, report) = try await group.next() {
                if let item = waiting.next() { group.addTask { (item.index, await self.report(item)) } }
                done[index] = report
                while let next = done.removeValue(forKey: reports.count) {
                    try each(next)
                    reports.append(next)
                }
            }
            return reports
        }
    }

    private func report(_ item: Item) async -> LoadReport {
        let clock = ContinuousClock()
        let start = clock.now
        display.started(item.index, item.address)
        var outcome: LoadReport.Outcome
        do {
            let request = try item.request.get()
            outcome = .loaded(try await load(item, request) { display.progressed(item.index, $0) })
        } catch {
            outcome = .failed(ToolFailure(error, subject: item.address))
        }
        let report = LoadReport(url: item.address, outcome: outcome, elapsed: clock.now - start)
        display.finished(item.index, report)
        return report
    }
}

extension ToolFailure {
    init(_ error: any Error, subject: String) {
        switch error {
        case let failure as ToolFailure: self = failure
        case let error as ImageError: self.init(error, subject: subject)
        case let failure as DecodingFailure: self.init(failure, subject: subject)
        case let failure as EncodingFailure:
            self.init(
                status: .failure, line: "\(subject): can't write the image (\(failure)). Choose another --format.")
        default: self.init(status: .failure, line: "\(subject): \(error). Try again.")
        }
    }
}
