/// An answer as a list of things to do with a socket: a pure value, so that every fault can be checked without one.
struct Delivery: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case wait(Duration)
        /// Head and part of a body in one go, or in small pieces when a number of bytes per second is given.
        case send(head: [UInt8], body: [UInt8], range: Range<Int>, bytesPerSecond: Int?)
        /// Nothing more, until the client leaves.
        case stall
    }

    enum Ending: Hashable, Sendable { case keepAlive, close, reset }

    var steps: [Step] = []
    var ending: Ending
    /// The status in the log; 0 when no head is sent.
    var status: Int

    /// - Parameters:
    ///   - keepsAlive: whether client and server would go on with the connection if all went well.
    ///   - isHead: the answer to HEAD has the length of a body but not the body.
    init(
        _ original: HTTPResponse, misbehaviour: Misbehaviour, date: String, keepsAlive: Bool, isHead: Bool
    ) {
        let response = Self.replaced(original, by: misbehaviour.fault)
        let plan = Plan(misbehaviour.fault, length: response.range.count)
        ending = plan.ending ?? (keepsAlive ? .keepAlive : .close)
        status = plan.sendsHead ? response.status : 0
        if misbehaviour.latency > .zero { steps.append(.wait(misbehaviour.latency)) }
        if let bytes = plan.instead {
            steps.append(.send(head: bytes, body: [], range: 0..<0, bytesPerSecond: misbehaviour.bandwidth))
        }
        if plan.sendsHead {
            let head = response.head(
                date: date, contentLength: plan.contentLength, keepsAlive: ending == .keepAlive)
            let start = response.range.lowerBound
            let end = isHead || !response.mayHaveBody ? start : start + plan.bodyLength
            steps.append(
                .send(head: head, body: response.body, range: start..<end, bytesPerSecond: misbehaviour.bandwidth))
        }
        if plan.stalls { steps.append(.stall) }
    }

    private static func replaced(_ response: HTTPResponse, by fault: Fault?) -> HTTPResponse {
        switch fault {
        case .status(let status): return .failure(status, "\(status) as asked for")
        case .notAImage where response.status == 200:
            var page = response
            page.body = Array(
                "<!DOCTYPE html><title>Sign in</title><p>This network needs you to sign in first.</p>\n".utf8)
            page.range = 0..<page.body.count
            return page
        default: return response
        }
    }
}

/// What a fault changes about the sending of an answer.
private struct Plan {
    var sendsHead = true
    var contentLength: Int
    var bodyLength: Int
    var instead: [UInt8]?
    var stalls = false
    var ending: Delivery.Ending?

    init(_ fault: Fault?, length: Int) {
        contentLength = length
        bodyLength = length
        switch fault {
        case nil, .notAImage, .status: break
        case .reset: (sendsHead, ending) = (false, .reset)
        case .truncate: (bodyLength, ending) = (length / 2, .close)
        case .stall: (bodyLength, stalls, ending) = (length / 2, true, .close)
        case .garbage: (sendsHead, instead, ending) = (false, Self.garbage, .close)
        case .wrongLength: (contentLength, ending) = (length / 2, .close)
        case .dropAfter(let count): (bodyLength, ending) = (min(count, length), .reset)
        }
    }

    private static let garbage: [UInt8] = {
        var numbers = SeededGenerator(seed: 404)
        return (0..<512).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
    }()
}
