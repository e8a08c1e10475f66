import Foundation
import HTTPTypes
import Testing

@testable import ImageTesting
@testable import ImageTransporting

@Suite("Transfer channel")
struct TransferChannelTests {
    private let resumes = Counter()
    private let stops = Counter()

    private func channel(hasHead: Bool = true) throws -> TransferChannel {
        let channel = TransferChannel(
            request: TransportRequest(url: try .of("http://a/")), resume: { [resumes] in _ = resumes.next() },
            stop: { [stops] in _ = stops.next() })
        channel.connected()
        if hasHead { channel.headArrived(ResponseHead(status: .ok, url: channel.request.url)) }
        return channel
    }

    @Test("a paused sender is resumed once, when its body is read or discarded", arguments: [false, true])
    func resuming(isDiscarded: Bool) async throws {
        let channel = try channel()
        let response = try await channel.response()
        let action = channel.arrived(Data(count: TransferStateMachine.highWatermark))
        #expect(action == .pause)
        var pieces = response.body.makeAsyncIterator()
        if isDiscarded {
            response.body.discard()
        } else {
            #expect(try await pieces.next()?.count == TransferStateMachine.highWatermark)
        }
        #expect(resumes.next() == 1)
    }

    @Test("a transfer is stopped when its body is released before the end, and not after it", arguments: [false, true])
    func release(isOver: Bool) async throws {
        let channel = try channel()
        if isOver { channel.ended(nil) }
        _ = try await channel.response()
        #expect(stops.next() == (isOver ? 0 : 1))
    }

    @Test("a cancelled task that waits for the head or a piece stops the transfer", arguments: [false, true])
    func cancellation(hasHead: Bool) async throws {
        let channel = try channel(hasHead: hasHead)
        let task = Task {
            for try await _ in try await channel.response().body {}
        }
        task.cancel()
        await #expect(throws: TransportError.cancelled) { try await task.value }
        #expect(stops.next() == 1)
    }
}
