import ImageCore
import ImageTesting

extension RequestCoalescerContract {
    static let highestPriority = ContractRule<Subject>("work has the maximum of its waiters' priorities") { make in
        let stage = CoalescingStage(make())
        try await stage.ask(1, .low)
        let work = try stage.work()
        try expect(work.priority == .low, "\(work.priority) with one low waiter")
        try await stage.ask(2, .high)
        try expect(work.priority == .high, "\(work.priority) after a high waiter joined")
        stage.setPriority(.veryHigh, of: 1)
        try expect(work.priority == .veryHigh, "\(work.priority) after a waiter was raised to veryHigh")
        stage.setPriority(.normal, of: 1)
        stage.cancel(2)
        _ = try await stage.error(of: 2)
        try expect(work.priority == .normal, "\(work.priority) after the higher waiter left")
        stage.gate.open()
        try await stage.expectValue(7, of: 1)
    }

    static let countsPriorityOnceJoined = ContractRule<Subject>(
        "a priority that is set as soon as the waiter has joined counts"
    ) { make in
        let stage = CoalescingStage(make())
        let joins = Probe<Int>()
        for (number, priority) in [(1, RequestPriority.high), (2, .veryHigh)] {
            let raise: @Sendable () -> Void = {
                stage.setPriority(priority, of: number)
                joins.append(number)
            }
            try await stage.ask(number, .low, onJoin: raise)
            let hasJoined = await joins.reaches(number)
            let now = try stage.work().priority
            if now != priority { stage.gate.open() }
            try expect(hasJoined && now == priority, "\(now) after waiter \(number) joined and was set to \(priority)")
        }
        stage.gate.open()
        for number in 1...2 { try await stage.expectValue(7, of: number) }
        try expect(joins.all == [1, 2], "told of joins \(joins.all)")
    }

    static let tellsPriorityAtOnce = ContractRule<Subject>("a handler is told the present maximum when it is set") {
        make in
        let stage = CoalescingStage(make())
        try await stage.ask(1, .low)
        stage.setPriority(.high, of: 1)
        let told = Probe<RequestPriority>()
        try stage.work().onPriorityChange { told.append($0) }
        let isTold = await told.reaches(1)
        stage.gate.open()
        try expect(isTold && told.all == [.high], "it was told \(told.all)")
    }

    static let tellsPriorityChanges = ContractRule<Subject>("a handler is told each new maximum, in order") { make in
        let stage = CoalescingStage(make())
        try await stage.ask(1, .low)
        let told = Probe<RequestPriority>()
        try stage.work().onPriorityChange { told.append($0) }
        for priority in [RequestPriority.high, .high, .veryLow, .veryHigh] {
            stage.setPriority(priority, of: 1)
        }
        _ = await told.reaches(4)
        stage.gate.open()
        try expect(told.all == [.low, .high, .veryLow, .veryHigh], "it was told \(told.all)")
    }

    static let replaysProgress = ContractRule<Subject>("a late joiner is told the latest report") { make in
        let stage = CoalescingStage(make())
        try await stage.ask(1)
        try stage.work().report(WorkProgress(completedBytes: 50, totalBytes: 100))
        stage.start(2)
        let isTold = await stage.progress(of: 2).reaches(1)
        stage.gate.open()
        try expect(isTold, "it was told nothing")
        let first = stage.progress(of: 2).all.first
        try expect(first?.completedBytes == 50, "it was told \(String(describing: first))")
    }

    static let keepsProgressInOrder = ContractRule<Subject>("reports are told in order, all of them before the answer")
    { make in
        let stage = CoalescingStage(make())
        try await stage.ask(1)
        let work = try stage.work()
        for count in 1...20 { work.report(WorkProgress(completedBytes: count, totalBytes: nil)) }
        stage.gate.open()
        try await stage.expectValue(7, of: 1)
        let told = stage.progress(of: 1).all.map(\.completedBytes)
        try expect(told == Array(0...20), "told \(told)")
    }

    static let progressNeverGoesBack = ContractRule<Subject>("a report of less than before is not told") { make in
        let stage = CoalescingStage(make())
        try await stage.ask(1)
        let work = try stage.work()
        for count in [50, 20, 60] { work.report(WorkProgress(completedBytes: count, totalBytes: nil)) }
        stage.gate.open()
        try await stage.expectValue(7, of: 1)
        let told = stage.progress(of: 1).all.map(\.completedBytes)
        try expect(told == [0, 50, 60], "told \(told)")
    }
}
