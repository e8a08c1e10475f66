import Foundation
import ImageCore
import ImageTesting
import Testing

@testable import ImageLoading

@Suite("Which work a reload has overtaken")
struct ReloadLedgerTests {
    /// One piece of work under way, as the plainest model keeps it.
    private struct Work {
        var original: Original
        var beginning: ReloadLedger.Beginning
        /// How many reloads of its original came since it began.
        var reloads = 0
    }

    private struct Walk {
        var random: SeededRandom
        let originals: [Original]
        var ledger = ReloadLedger()
        var works: [Work] = []

        init(seed: UInt64) throws {
            random = SeededRandom(seed: seed)
            originals = try (0..<4).map { number in
                let url = try #require(URL(string: "http://pictures.example/\(number)"))
                return ImageRequest(url: url).original
            }
        }

        mutating func step() throws {
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<3:
                let original = try #require(originals.randomElement(using: &random))
                works.append(Work(original: original, beginning: ledger.began(original)))
            case 3..<7: end()
            default:
                // A reload is work under way on its original.
                guard let original = works.randomElement(using: &random)?.original else { return }
                ledger.reloaded(original)
                for index in works.indices where works[index].original == original { works[index].reloads += 1 }
            }
            for work in works {
                let isCurrent = ledger.lastReload(of: work.original) == work.beginning.reload
                try #require(isCurrent == (work.reloads == 0))
            }
            if works.isEmpty { try #require(ledger.isEmpty) }
        }

        mutating func end() {
            guard let index = works.indices.randomElement(using: &random) else { return }
            let work = works.remove(at: index)
            ledger.ended(work.beginning, work.original)
        }
    }

    @Test(
        "work is current until its original is reloaded, and nothing is kept when none is under way",
        arguments: 1...6 as ClosedRange<UInt64>)
    func agreesWithModel(seed: UInt64) throws {
        var walk = try Walk(seed: seed)
        for _ in 0..<20_000 { try walk.step() }
        while !walk.works.isEmpty { walk.end() }
        #expect(walk.ledger.isEmpty)
    }

    @Test(
        "a reload is forgotten when what began before it, and what began in its light, has ended, though other work goes on"
    )
    func forgets() throws {
        let walk = try Walk(seed: 1)
        let (reloaded, other) = (walk.originals[0], walk.originals[1])
        var ledger = ReloadLedger()
        let (old, reload) = (ledger.began(other), ledger.began(reloaded))
        ledger.reloaded(reloaded)
        let (follower, later) = (ledger.began(reloaded), ledger.began(other))
        ledger.ended(reload, reloaded)
        ledger.ended(old, other)
        #expect(ledger.lastReload(of: reloaded) == follower.reload && follower.reload > 0)
        ledger.ended(follower, reloaded)
        #expect(ledger.lastReload(of: reloaded) == 0)
        ledger.ended(later, other)
        #expect(ledger.isEmpty)
    }
}
