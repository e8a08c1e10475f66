import Foundation
import HTTPTypes
import Testing

@testable import ImageTransporting

@Suite("Transfer state machine")
struct TransferStateMachineTests {
    private func head(expecting bytes: Int? = nil) throws -> ResponseHead {
        ResponseHead(status: .ok, url: try .of("http://a/"), expectedByteCount: bytes)
    }

    private func streaming(bodyByteLimit: Int = .max) throws -> TransferStateMachine {
        var machine = TransferStateMachine(bodyByteLimit: bodyByteLimit)
        machine.connected()
        _ = try machine.headArrived(head())
        return machine
    }

    private func bytes(_ count: Int) -> Data { Data(repeating: 7, count: count) }

    @Test("a transfer waits for bytes only while the consumer requests them and the request is sent")
    func waitingForBytes() throws {
        var machine = TransferStateMachine(bodyByteLimit: 10)
        _ = machine.awaitHead()
        #expect(!machine.isWaitingForBytes)
        machine.connected()
        #expect(machine.isWaitingForBytes)
        let step1 = try machine.headArrived(head())
        #expect(step1)
        #expect(!machine.isWaitingForBytes)
        _ = machine.pull()
        #expect(machine.isWaitingForBytes)
        let step2 = machine.arrived(bytes(1))
        #expect(step2 == .deliver(bytes(1)))
        #expect(!machine.isWaitingForBytes)
    }

    @Test("pieces that arrive without a waiting consumer are joined and delivered together")
    func buffering() throws {
        var machine = try streaming()
        let step3 = machine.arrived(bytes(2))
        #expect(step3 == .buffer)
        let step4 = machine.arrived(bytes(3))
        #expect(step4 == .buffer)
        guard case .now(let piece) = machine.pull().answer else {
            Issue.record("no piece")
            return
        }
        #expect(piece == bytes(5))
    }

    @Test("a full buffer pauses the sender, and emptying it resumes the sender once, without loss")
    func pausing() throws {
        var machine = try streaming()
        let full = machine.arrived(bytes(TransferStateMachine.highWatermark))
        let more = machine.arrived(bytes(5))
        #expect([full, more] == [.pause, .pause])
        guard case (.now(let piece), true) = machine.pull() else {
            Issue.record("not resumed")
            return
        }
        #expect(piece?.count == TransferStateMachine.highWatermark + 5)
        let second = machine.pull()
        #expect(!second.resumes)
        let next = machine.arrived(bytes(1))
        #expect(next == .deliver(bytes(1)))
    }

    @Test("a buffer that is not full does not pause the sender")
    func notFull() throws {
        var machine = try streaming()
        let action = machine.arrived(bytes(TransferStateMachine.highWatermark - 1))
        #expect(action == .buffer)
    }

    @Test("a body of exactly the limit is accepted, and buffered bytes are delivered before a later failure")
    func failureComesLast() throws {
        var machine = try streaming(bodyByteLimit: 5)
        let step12 = machine.arrived(bytes(5))
        #expect(step12 == .buffer)
        let step13 = machine.arrived(bytes(1))
        #expect(step13 == .stop)
        guard case .now(let piece) = machine.pull().answer, case .fail(let failure) = machine.pull().answer else {
            Issue.record("wrong order")
            return
        }
        #expect(piece == bytes(5))
        #expect(failure == .tooLarge(byteLimit: 5))
    }

    @Test("cancelling drops the buffered bytes and stops the engine once")
    func cancelling() throws {
        var machine = try streaming()
        _ = machine.arrived(bytes(5))
        let step14 = machine.cancel()
        #expect(step14)
        let step15 = machine.cancel()
        #expect(!step15)
        let step16 = machine.abandon()
        #expect(!step16)
        guard case .fail(.cancelled) = machine.pull().answer else {
            Issue.record("not cancelled")
            return
        }
        let step17 = machine.arrived(bytes(1))
        #expect(step17 == .stop)
        let step18 = machine.ended(nil)
        #expect(!step18)
    }

    @Test("a complete body that is cancelled fails, and one that is discarded is empty", arguments: [true, false])
    func afterEnd(isCancelled: Bool) throws {
        var machine = try streaming()
        _ = machine.arrived(bytes(5))
        _ = machine.ended(nil)
        let stops = isCancelled ? machine.cancel() : machine.discard()
        #expect(!stops)
        switch machine.pull().answer {
        case .fail(.cancelled): #expect(isCancelled)
        case .now(nil): #expect(!isCancelled)
        default: Issue.record("bytes or another failure")
        }
    }

    @Test("a body that is released before its end stops the engine")
    func abandoned() throws {
        var machine = try streaming()
        let stops = machine.abandon()
        #expect(stops && machine.phase == .over(.cancelled))
    }

    @Test("a second head and a second end change nothing")
    func second() throws {
        var machine = try streaming()
        _ = machine.pull()
        let isForWaiter = try machine.headArrived(head(expecting: 1))
        #expect(!isForWaiter && machine.expectedByteCount == nil && machine.isAwaited)
        _ = machine.ended(.connectionLost("cut"))
        let endsAgain = machine.ended(nil)
        #expect(!endsAgain && machine.phase == .over(.connectionLost("cut")))
    }

    @Test("discarding a paused body resumes the sender")
    func discardingPaused() throws {
        var machine = try streaming()
        let isPaused = machine.arrived(bytes(TransferStateMachine.highWatermark)) == .pause
        let resumes = machine.discard()
        #expect(isPaused && resumes)
        #expect(machine.phase == .discarding(remaining: TransferStateMachine.discardLimit))
    }

    @Test("a discarded body is read up to a limit, then the transfer stops")
    func discarding() throws {
        var machine = try streaming()
        let step19 = machine.discard()
        #expect(!step19)
        #expect(machine.isWaitingForBytes)
        let step20 = machine.abandon()
        #expect(!step20)
        let step21 = machine.arrived(bytes(TransferStateMachine.discardLimit - 1))
        #expect(step21 == .buffer)
        let step22 = machine.arrived(bytes(1))
        #expect(step22 == .stop)
    }

    @Test("a transfer that ends without a head fails with connectionLost")
    func noHead() throws {
        var machine = TransferStateMachine(bodyByteLimit: 10)
        let step23 = machine.ended(nil)
        #expect(!step23)
        guard case .fail(.connectionLost) = machine.awaitHead() else {
            Issue.record("not lost")
            return
        }
    }
}
