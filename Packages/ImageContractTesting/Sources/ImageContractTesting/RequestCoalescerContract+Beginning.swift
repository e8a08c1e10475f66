import ImageCore
import ImageTesting
import Synchronization

extension RequestCoalescerContract {
    static let answersOnce = ContractRule<Subject>("a waiter is answered once, however it leaves") { make in
        let stage = CoalescingStage(make())
        let answers = Probe<Result<Int, any Error>>()
        let places = (0..<2).map { _ in
            stage.coalescer.join("key", priority: .normal) {
                answers.append($0)
            } work: { _ in
                await stage.gate.pass()
                return 7
            }
        }
        places[0].leave()
        places[0].leave()
        try expectCancellation(await answers.reaches(1) ? answers.all[0] : nil)
        stage.gate.open()
        let isAnswered = await answers.reaches(2)
        places[1].leave()
        try expect(isAnswered && (try? answers.all[1].get()) == 7, "who stayed was answered with \(answers.all)")
        // What comes later for the same key is answered after all else that there was to answer.
        try await stage.ask(9)
        try await stage.expectValue(7, of: 9)
        try expect(answers.all.count == 2, "\(answers.all.count) answers for two who were called back")
    }

    static let beginsAtOnce = ContractRule<Subject>(
        "work has begun when the first has joined, and goes on when it says so"
    ) { make in
        let work = PreparedWork()
        _ = work.join(make())
        try expect(work.begins.count == 1, "begun \(work.begins.count) times when the first had joined")
        try expect(work.answers.count == 0 && work.runs.count == 0, "it did not wait to be told")
        work.begins.all.first?()
        let isAnswered = await work.answers.reaches(1)
        try expect(isAnswered && (try? work.answers.all[0].get()) == 7, "answered with \(work.answers.all)")
    }

    static let givesUp = ContractRule<Subject>(
        "work that everybody leaves before it goes on is told so once, and never goes on"
    ) { make in
        let (coalescer, work) = (make(), PreparedWork())
        let place = work.join(coalescer)
        place.leave()
        place.leave()
        try expectCancellation(await work.answers.reaches(1) ? work.answers.all[0] : nil)
        try expect(work.endings.count == 1, "told \(work.endings.count) times that it is over")
        work.begins.all.first?()
        // Other work goes on after all else that there was to go on with.
        let other = PreparedWork()
        _ = other.join(coalescer)
        other.begins.all.first?()
        let isAnswered = await other.answers.reaches(1)
        try expect(isAnswered, "other work was never answered")
        try expect(work.runs.count == 0, "it went on")
    }

    static let beginsBeforeItGoesOn = ContractRule<Subject>("work does not go on before it has begun") { make in
        let isBegun = Mutex(false)
        let runs = Probe<Bool>()
        let place = make().join("key", priority: .normal) { _ in
        } begin: { _, proceed in
            proceed {
                runs.append(isBegun.withLock { $0 })
                return 7
            }
            // Time for another thread to go on.
            for _ in 0..<10_000 where runs.count > 0 { break }
            isBegun.withLock { $0 = true }
            return {}
        }
        let hasRun = await runs.reaches(1)
        place.leave()
        try expect(hasRun && runs.all == [true], hasRun ? "it went on while it began" : "it never went on")
    }

    static let placeEndsWithAnswer = ContractRule<Subject>("a waiter's place does nothing once it is answered") {
        make in
        let (stage, gate) = (CoalescingStage(make()), Gate())
        try await stage.ask(1, .low, gate: gate)
        gate.open()
        try await stage.expectValue(7, of: 1)
        for number in 2...3 { try await stage.ask(number, .normal) }
        stage.cancel(2)
        _ = try await stage.error(of: 2)
        try await stage.ask(4, .normal)
        for number in 1...2 {
            stage.setPriority(.veryHigh, of: number)
            stage.leave(number)
        }
        let now = stage.works.all.last?.priority
        stage.gate.open()
        for number in 3...4 { try await stage.expectValue(7, of: number) }
        try expect(now == .normal, "work is at \(String(describing: now)) by those who were answered before")
        try expect(stage.cancellations.all == [false, false], "work was cancelled by those who were answered before")
        try expect(stage.answers.count == 4, "\(stage.answers.count) answers for four waiters")
    }

    private static func expectCancellation(_ answer: Result<Int, any Error>?) throws {
        guard case .failure(let error)? = answer, error is CancellationError else {
            throw ContractViolation("who left was answered with \(String(describing: answer))")
        }
    }
}

/// Work that goes on when the test says so, and what it and its only waiter are told.
private struct PreparedWork {
    /// Each goes on with the work.
    let begins = Probe<@Sendable () -> Void>()
    let runs = Probe<Int>()
    let endings = Probe<Bool>()
    let answers = Probe<Result<Int, any Error>>()

    func join(_ coalescer: any RequestCoalescer<String, Int>) -> any SharedWorkPlace {
        coalescer.join("key", priority: .normal) { [answers] in
            answers.append($0)
        } begin: { [begins, runs, endings] _, proceed in
            begins.append {
                proceed {
                    runs.append(1)
                    return 7
                }
            }
            return { endings.append(true) }
        }
    }
}
