/// A response as a list of socket operations. It is a value, so that tests don't need a socket.
struct Delivery: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case wait(Duration)
        /// Sends the head and a part of the body, in small chunks if the rate is limited.
        case send(head: [UInt8], body: [UInt8], range: Range<Int>, bytesPerSecond: Int?)
        /// Sends nothing more, and waits until the client closes the connection.
        case stall
    }

    enum Ending: Hashable, Sendable { case keepAlive, close, reset }

    var steps: [Step] = []
    var ending: Ending
    /// The status in the statistics, or 0 if no head is sent.
    var status: Int

    /// Creates the operations that send a response.
    ///
    /// - Parameters:
    ///   - original: The response without faults.
    ///   - conditions: The latency, the bandwidth and the fault.
    ///   - date: The value of the `Date` header.
    ///   - keepsAlive: Whether the connection stays open if there is no fault.
    ///   - isHead: Whether the request method is HEAD. The response has the length of the body but not the body.
    init(
        _ original: HTTPResponse, conditions: NetworkConditions, date: String, keepsAlive: Bool, isHead: Bool
    ) {
        let response = Self.replaced(original, by: conditions.fault)
        let plan = Plan(conditions.fault, length: response.range.count)
        ending = plan.ending ?? (keepsAlive ? .keepAlive : .close)
        status = plan.sendsHead ? response.status : 0
        if conditions.latency > .zero { steps.append(.wait(conditions.latency)) }
        if let bytes = plan.replacement {
            steps.append(.send(head: bytes, body: [], range: 0..<0, bytesPerSecond: conditions.bandwidth))
        }
        if plan.sendsHead {
            let head = response.head(
                date: date, contentLength: plan.contentLength, keepsAlive: ending == .keepAlive)
            let start = response.range.lowerBound
            let end = isHead || !response.mayHaveBody ? start : start + plan.bodyLength
            steps.append(
                .send(head: head, body: response.body, range: start..<end, bytesPerSecond: conditions.bandwidth))
        }
        if plan.stalls { steps.append(.stall) }
    }

    private static func replaced(_ response: HTTPResponse, by fault: Fault?) -> HTTPResponse {
        switch fault {
        case .status(let status): return .failure(status, "status \(status), as requested")
        case .notAnImage where response.status == 200:
            var page = response
            page.body = Array(
                "<!DOCTYPE html><title>Sign in</title><p>This network needs you to sign in first.</p>\n".utf8)
            page.range = 0..<page.body.count
            return page
        default: return response
        }
    }
}

/// The changes of a delivery that a fault causes.
private struct Plan {
    var sendsHead = true
    /// The value of the `Content-Length` header.
    var contentLength: Int
    /// The number of bytes of the body that are sent.
    var bodyLength: Int
    /// The bytes that are sent instead of the response.
    var replacement: [UInt8]?
    var stalls = false
    var ending: Delivery.Ending?

    init(_ fault: Fault?, length: Int) {
        contentLength = length
        bodyLength = length
        switch fault {
        case nil, .notAnImage, .status: break
        case .reset: (sendsHead, ending) = (false, .reset)
        case .truncate: (bodyLength, ending) = (length / 2, .close)
        case .stall: (bodyLength, stalls, ending) = (length / 2, true, .close)
        case .garbage: (sendsHead, replacement, ending) = (false, Self.garbage, .close)
        case .wrongLength: (contentLength, ending) = (length / 2, .close)
        case .dropAfter(let count): (bodyLength, ending) = (min(count, length), .reset)
        }
    }

    private static let garbage: [UInt8] = {
        var numbers = SeededGenerator(seed: 404)
        return (0..<512).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
    }()
}
