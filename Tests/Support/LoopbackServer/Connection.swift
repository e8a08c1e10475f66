import Synchronization

/// Runs scripts on one connection, on the thread that calls `run`.
final class Connection: Sendable {
    private enum Outcome: Error { case clientLeft, ended, stopped }

    private let core: ServerCore
    private let socket: Socket
    private let wake: WakePipe
    private let number: Int

    init(core: ServerCore, socket: Socket, wake: WakePipe, number: Int) {
        self.core = core
        self.socket = socket
        self.wake = wake
        self.number = number
    }

    func run(greeting: [LoopbackStep]) {
        var isResponding = !greeting.isEmpty
        do throws(Outcome) {
            try perform(greeting)
            isResponding = false
            var buffer: [UInt8] = []
            while true {
                let request = try readRequest(&buffer)
                core.log.withLock { $0.append(request) }
                core.requests.add(1)
                isResponding = true
                try perform(core.handler(request).steps)
                core.completions.add(1)
                isResponding = false
            }
        } catch {
            socket.close()
            if error == .clientLeft {
                core.disconnects.add(1)
                if isResponding { core.abandonments.add(1) }
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
            case .awaitDisconnect: try awaitDisconnect()
            case .close: throw .ended
            case .reset:
                socket.resetOnClose()
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
        let id = signal.arrive(waking: wake)
        defer { signal.leave(id) }
        while !signal.takePermit() { try pause(.hangup) }
    }

    private func awaitDisconnect() throws(Outcome) {
        while true { try pause(.hangup) }
    }

    private func send(_ bytes: [UInt8]) throws(Outcome) {
        var sent = 0
        while sent < bytes.count {
            switch socket.send(bytes[sent...]) {
            case .done(let count):
                sent += count
                core.sentBytes.add(count)
            case .wouldBlock:
                core.blockedSends.add(1)
                try pause(.writable)
            case .over: throw .clientLeft
            }
        }
    }

    /// Waits for the socket, a signal or the end of the server.
    private func pause(_ interest: Socket.Interest) throws(Outcome) {
        let hangup = socket.wait(for: interest, or: wake)
        if core.isStopped { throw .stopped }
        if hangup { throw .clientLeft }
    }

    private func readRequest(_ buffer: inout [UInt8]) throws(Outcome) -> LoopbackRequest {
        let blankLine = Array("\r\n\r\n".utf8)
        while true {
            if let range = buffer.firstRange(of: blankLine) {
                guard var request = LoopbackRequest(head: Array(buffer[..<range.lowerBound]), connection: number) else {
                    throw .ended
                }
                while buffer.count < range.upperBound + request.announcedBodyBytes { try receive(&buffer) }
                let end = range.upperBound + request.announcedBodyBytes
                request.body = Array(buffer[range.upperBound..<end])
                buffer.removeFirst(end)
                return request
            }
            try receive(&buffer)
        }
    }

    private func receive(_ buffer: inout [UInt8]) throws(Outcome) {
        while true {
            switch socket.receive(into: &buffer) {
            case .done: return
            case .over: throw .clientLeft
            case .wouldBlock:
                _ = socket.wait(for: .readable, or: wake)
                if core.isStopped { throw .stopped }
            }
        }
    }
}
