public import ImageCore
import ImageTesting

/// What every `RequestCoalescer` promises.
public enum RequestCoalescerContract {
    /// Makes a fresh coalescer.
    public typealias Subject = @Sendable () -> any RequestCoalescer<String, Int>

    /// Every promise.
    public static let rules: [ContractRule<Subject>] = [
        sharesWork, sharesErrors, answersEveryJoin, answersOnce, placeEndsWithAnswer, ownCancellation, oneLeaves,
        lastLeaves, startsAnew, beginsAtOnce, beginsBeforeItGoesOn, givesUp, highestPriority, countsPriorityOnceJoined,
        tellsPriorityAtOnce, tellsPriorityChanges, replaysProgress, keepsProgressInOrder, progressNeverGoesBack,
        closingAnswers, closingIsFinal,
    ]

    private static let sharesWork = ContractRule<Subject>("whoever asks while work is under way joins it") { make in
        let stage = CoalescingStage(make())
        for number in 1...10 { try await stage.ask(number) }
        stage.gate.open()
        for number in 1...10 { try await stage.expectValue(7, of: number) }
        try expect(stage.works.count == 1, "the work was called \(stage.works.count) times")
    }

    private static let sharesErrors = ContractRule<Subject>("the work's error reaches every waiter") { make in
        let stage = CoalescingStage(make())
        for number in 1...3 { try await stage.ask(number) { throw DecodingFailure.unknownFormat } }
        stage.gate.open()
        for number in 1...3 {
            let error = try await stage.error(of: number)
            try expect(error is DecodingFailure, "waiter \(number) was answered with \(String(describing: error))")
        }
    }

    private static let answersEveryJoin = ContractRule<Subject>("a join at any moment is answered exactly once") {
        make in
        let stage = CoalescingStage(make())
        stage.gate.open()
        for round in 0..<100 {
            for number in 1...4 { stage.start(round * 4 + number) }
            let isAnswered = await stage.answers.reaches(round * 4 + 4)
            try expect(isAnswered, "a waiter was never answered")
        }
        try expect(stage.answers.all.allSatisfy { $0.value == 7 }, "a waiter got something else than the result")
    }

    private static let ownCancellation = ContractRule<Subject>(
        "work that throws CancellationError by itself is a failure for those who wait"
    ) { make in
        let stage = CoalescingStage(make())
        try await stage.ask(1) { throw CancellationError() }
        stage.gate.open()
        let error = try await stage.error(of: 1)
        try expect(error != nil, "it was answered with a value")
        try expect(!(error is CancellationError), "it looks as if the waiter had been cancelled")
    }

    private static let oneLeaves = ContractRule<Subject>("a waiter that leaves changes nothing for the others") {
        make in
        let stage = CoalescingStage(make())
        for number in 1...3 { try await stage.ask(number) }
        stage.cancel(1)
        let error = try await stage.error(of: 1)
        try expect(error is CancellationError, "the one that left was answered with \(String(describing: error))")
        stage.gate.open()
        for number in 2...3 { try await stage.expectValue(7, of: number) }
        try expect(stage.cancellations.all == [false], "the work was cancelled")
    }

    private static let lastLeaves = ContractRule<Subject>("the last waiter to leave cancels the work") { make in
        let stage = CoalescingStage(make())
        try await stage.ask(1)
        stage.cancel(1)
        let error = try await stage.error(of: 1)
        try expect(error is CancellationError, "it was answered with \(String(describing: error))")
        stage.gate.open()
        let isOver = await stage.cancellations.reaches(1)
        try expect(isOver && stage.cancellations.all == [true], "the work went on uncancelled")
    }

    private static let startsAnew = ContractRule<Subject>(
        "whoever asks after the last has left starts anew, while the old work winds down"
    ) { make in
        let stage = CoalescingStage(make())
        let oldGate = Gate()
        try await stage.ask(1, gate: oldGate) { 1 }
        stage.cancel(1)
        _ = try await stage.error(of: 1)
        try await stage.ask(2) { 2 }
        oldGate.open()
        let isOver = await stage.cancellations.reaches(1)
        stage.gate.open()
        try expect(isOver, "the old work never ended")
        try await stage.expectValue(2, of: 2)
    }
}
