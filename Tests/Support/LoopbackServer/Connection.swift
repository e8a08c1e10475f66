import ImageTesting

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Runs scripts on one connection, on the thread that calls `run`.
struct Connection: Sendable {
    private enum Outcome: Error { case clientLeft, ended, stopped }

    /// The maximum sizes of a request's head and of its body, in bytes.
    private static let headLimit = 1 << 20
    private static let bodyLimit = 64 << 20

    let core: ServerCore
    let socket: Socket
    let number: Int

    func run() {
        defer { socket.end() }
        var isResponding = !core.greeting.isEmpty
        do throws(Outcome) {
            try perform(core.greeting)
            isResponding = false
            var buffer: [UInt8] = []
            while true {
                let request = try readRequest(&buffer)
                core.counts.change { counts in
                    counts.requests += 1
                    if counts.log.count < 10_000 { counts.log.append(request) }
                }
                isResponding = true
                try perform(core.handler(request).steps)
                core.counts.change { $0.completions += 1 }
                isResponding = false
                if !request.keepsAlive { return }
            }
        } catch {
            guard error == .clientLeft else { return }
            core.counts.change { counts in
                counts.disconnects += 1
                if isResponding { counts.abandonments += 1 }
            }
        }
    }

    private func perform(_ steps: [LoopbackStep]) throws(Outcome) {
        for step in steps {
            switch step {
            case .bytes(let bytes): try send(bytes)
            case .text(let text): try send(Array(text.utf8))
            case .wait(let signal): try pass(signal)
            case .drip(let bytes, let piece, let signal): try drip(bytes, piece: piece, signal)
            case .pause(let duration): try wait(milliseconds: Int32((duration / .milliseconds(1)).rounded(.up)))
            case .awaitDisconnect: while true { try wait() }
            case .close: throw .ended
            case .reset:
                socket.resetAtEnd()
                throw .ended
            }
        }
    }

    private func drip(_ bytes: [UInt8], piece: Int, _ signal: LoopbackSignal) throws(Outcome) {
        for start in stride(from: 0, to: bytes.count, by: piece) {
            try pass(signal)
            try send(Array(bytes[start..<min(start + piece, bytes.count)]))
        }
    }

    private func pass(_ signal: LoopbackSignal) throws(Outcome) {
        signal.arrive()
        while !signal.isOpen { try wait(or: signal) }
    }

    private func send(_ bytes: [UInt8]) throws(Outcome) {
        var sent = 0
        while sent < bytes.count {
            switch socket.write(bytes[sent...]) {
            case .done(let count):
                sent += count
                core.counts.change { $0.sentBytes += count }
            case .wouldBlock: try wait(for: Int32(POLLOUT))
            case .over: throw .clientLeft
            }
        }
    }

    /// Waits for the socket, a signal, the end of a time, or the end of the server.
    private func wait(
        for events: Int32 = 0, or signal: LoopbackSignal? = nil, milliseconds: Int32 = -1
    ) throws(Outcome) {
        let signals = [core.stopped] + (signal.map { [$0] } ?? [])
        let hasLeft = socket.wait(for: events, or: signals, milliseconds: milliseconds)
        if core.isStopped { throw .stopped }
        // A client that has left can still have sent a request.
        if hasLeft, events != Int32(POLLIN) { throw .clientLeft }
    }

    private func readRequest(_ buffer: inout [UInt8]) throws(Outcome) -> LoopbackRequest {
        let blankLine = Array("\r\n\r\n".utf8)
        while true {
            guard let range = buffer.firstRange(of: blankLine) else {
                guard buffer.count <= Self.headLimit else { throw .ended }
                try receive(&buffer)
                continue
            }
            guard var request = LoopbackRequest(head: Array(buffer[..<range.lowerBound]), connection: number),
                (0...Self.bodyLimit).contains(request.announcedBodyBytes)
            else { throw .ended }
            let end = range.upperBound + request.announcedBodyBytes
            while buffer.count < end { try receive(&buffer) }
            request.body = Array(buffer[range.upperBound..<end])
            buffer.removeFirst(end)
            return request
        }
    }

    private func receive(_ buffer: inout [UInt8]) throws(Outcome) {
        while true {
            switch socket.receive(into: &buffer) {
            case .done: return
            case .over: throw .clientLeft
            case .wouldBlock: try wait(for: Int32(POLLIN))
            }
        }
    }
}
