import Foundation
import HTTPTypes
import Testing

@testable import ImageTransporting

@Suite("The state machine of a transfer")
struct TransferMachineTests {
    private func head(expecting bytes: Int? = nil) throws -> ResponseHead {
        ResponseHead(status: .ok, url: try .of("http://a/"), expectedBytes: bytes)
    }

    private func streaming(maxBodyBytes: Int = .max) throws -> TransferMachine {
        var machine = TransferMachine(maxBodyBytes: maxBodyBytes)
        machine.connected()
        _ = try machine.headArrived(head())
        return machine
    }

    private func bytes(_ count: Int) -> Data { Data(repeating: 7, count: count) }

    @Test("silence counts only while bytes are wanted and the server knows")
    func stallable() throws {
        var machine = TransferMachine(maxBodyBytes: 10)
        _ = machine.awaitHead()
        #expect(!machine.isStallable)
        machine.connected()
        #expect(machine.isStallable)
        let step1 = try machine.headArrived(head())
        #expect(step1)
        #expect(!machine.isStallable)
        _ = machine.pull()
        #expect(machine.isStallable)
        let step2 = machine.arrived(bytes(1))
        #expect(step2 == .deliver(bytes(1)))
        #expect(!machine.isStallable)
    }

    @Test("pieces that nobody waits for are joined, and handed out at once")
    func buffering() throws {
        var machine = try streaming()
        let step3 = machine.arrived(bytes(2))
        #expect(step3 == .keep)
        let step4 = machine.arrived(bytes(3))
        #expect(step4 == .keep)
        guard case .now(let piece) = machine.pull().answer else {
            Issue.record("nothing there")
            return
        }
        #expect(piece == bytes(5))
    }

    @Test("a full buffer pauses the sender, and emptying it resumes the sender once, with nothing lost")
    func pausing() throws {
        var machine = try streaming()
        let full = machine.arrived(bytes(TransferMachine.highWater))
        let more = machine.arrived(bytes(5))
        #expect([full, more] == [.pause, .pause])
        guard case (.now(let piece), true) = machine.pull() else {
            Issue.record("not resumed")
            return
        }
        #expect(piece?.count == TransferMachine.highWater + 5)
        let second = machine.pull()
        #expect(!second.resumes)
        let next = machine.arrived(bytes(1))
        #expect(next == .deliver(bytes(1)))
    }

    @Test("a buffer that is not full yet holds nobody back")
    func notFull() throws {
        var machine = try streaming()
        let arrival = machine.arrived(bytes(TransferMachine.highWater - 1))
        #expect(arrival == .keep)
    }

    @Test("buffered bytes come before the failure that followed them")
    func failureComesLast() throws {
        var machine = try streaming(maxBodyBytes: 5)
        let step12 = machine.arrived(bytes(5))
        #expect(step12 == .keep)
        let step13 = machine.arrived(bytes(1))
        #expect(step13 == .stop)
        guard case .now(let piece) = machine.pull().answer, case .fail(let failure) = machine.pull().answer else {
            Issue.record("wrong order")
            return
        }
        #expect(piece == bytes(5))
        #expect(failure == .tooLarge(allowedBytes: 5))
    }

    @Test("cancelling drops what is buffered and stops the engine once")
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

    @Test("an unwanted rest is read up to a limit, then stopped")
    func discarding() throws {
        var machine = try streaming()
        let step19 = machine.discard()
        #expect(!step19)
        #expect(machine.isStallable)
        let step20 = machine.abandon()
        #expect(!step20)
        let step21 = machine.arrived(bytes(TransferMachine.discardLimit - 1))
        #expect(step21 == .keep)
        let step22 = machine.arrived(bytes(1))
        #expect(step22 == .stop)
    }

    @Test("a transfer that ends without a head has failed")
    func noHead() throws {
        var machine = TransferMachine(maxBodyBytes: 10)
        let step23 = machine.ended(nil)
        #expect(!step23)
        guard case .fail(.connectionLost) = machine.awaitHead() else {
            Issue.record("not lost")
            return
        }
    }
}
