import Dispatch
import XCTest

@testable import ImagePresentingGTK

final class MainLoopTests: GtkTestCase {
    func testTasksOfTheMainActorRunInTheLoop() throws {
        try onScreen {
            var steps: [Int] = []
            Task {
                steps.append(1)
                await Task.yield()
                steps.append(2)
            }
            XCTAssertTrue(GtkMainLoop.run(upTo: testTimeout) { steps == [1, 2] })
        }
    }

    func testWorkFromAnotherThreadWakesTheLoop() throws {
        try onScreen {
            let flag = Flag()
            DispatchQueue.global().async {
                Task { @MainActor in flag.isRaised = true }
            }
            // There is no timer, so only the work itself can wake the loop.
            while !flag.isRaised { GtkMainLoop.step() }
        }
    }

    func testTheLoopSleepsWhenThereIsNothingToDo() throws {
        try onScreen {
            var count = 0
            Task { count += 1 }
            XCTAssertTrue(GtkMainLoop.run(upTo: testTimeout) { count == 1 })
            var steps = 0
            while g_main_context_pending(nil) != 0, steps < 1_000 {
                GtkMainLoop.step()
                steps += 1
            }
            XCTAssertLessThan(steps, 1_000, "the loop wakes up repeatedly for the same work")
        }
    }

    func testMainQueueAndMainActorBothRun() throws {
        try onScreen {
            var order: [String] = []
            DispatchQueue.main.async { order.append("queue") }
            Task { order.append("actor") }
            XCTAssertTrue(GtkMainLoop.run(upTo: testTimeout) { order.count == 2 })
        }
    }

    func testWorkThatRunsTheLoopIsNotReentered() throws {
        try onScreen {
            var order: [String] = []
            Task {
                Task { order.append("second") }
                GtkMainLoop.runMainQueue()
                order.append("first")
            }
            XCTAssertTrue(GtkMainLoop.run(upTo: testTimeout) { order.count == 2 })
            XCTAssertEqual(order, ["first", "second"])
        }
    }
}

@MainActor private final class Flag {
    var isRaised = false
}
