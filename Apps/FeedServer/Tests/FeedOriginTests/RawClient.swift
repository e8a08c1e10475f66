import Dispatch
import ImageCore
import Synchronization

@testable import FeedOrigin

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A client that sends and receives raw bytes.
final class RawClient {
    private let socket: Socket
    private var isClosed = false

    init(port: UInt16) throws {
        #if canImport(Glibc)
            let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #endif
        socket = Socket(descriptor: descriptor)
        socket.setTimeouts(receive: .seconds(600), send: .seconds(600))
        var address = Socket.loopback(port: port)
        let code = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw SocketFailure("connect") }
    }

    deinit { close() }

    func close() {
        if !isClosed { socket.close() }
        isClosed = true
    }

    func send(_ text: String) { _ = socket.send(Array(text.utf8)[...], []) }

    func get(_ target: String, method: String = "GET", _ headers: String...) {
        send("\(method) \(target) HTTP/1.1\r\nHost: h:1\r\n" + headers.map { $0 + "\r\n" }.joined() + "\r\n")
    }

    /// Returns all bytes until the connection ends, and whether it ended orderly instead of with a reset.
    func rest() -> (bytes: [UInt8], isOrderly: Bool) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            guard let count = socket.receive(into: &buffer) else { return (bytes, false) }
            if count == 0 { return (bytes, true) }
            bytes += buffer[..<count]
        }
    }

    /// Returns the next response, which must have a Content-Length. The head is lowercased.
    func response(hasBody: Bool = true) -> (status: Int, head: String, body: [UInt8]) {
        var bytes: [UInt8] = []
        var one: [UInt8] = [0]
        while !bytes.suffix(4).elementsEqual(Array("\r\n\r\n".utf8)), socket.receive(into: &one) == 1 { bytes += one }
        let head = String(decoding: bytes, as: UTF8.self).lowercased()
        let field = head.split(separator: "\r\n").first { $0.hasPrefix("content-length: ") }
        var left = hasBody ? field.flatMap { Int($0.dropFirst(16)) } ?? 0 : 0
        var body: [UInt8] = []
        while left > 0 {
            var buffer = [UInt8](repeating: 0, count: min(left, 1 << 16))
            guard let count = socket.receive(into: &buffer), count > 0 else { break }
            body += buffer[..<count]
            left -= count
        }
        return (Int(head.dropFirst(9).prefix(3)) ?? 0, head, body)
    }
}

/// Records the requested delays and returns immediately.
final class RecordingClock: ServerClock {
    private let waits = Mutex<[Duration]>([])
    private let result: Bool

    init(result: Bool = true) { self.result = result }

    var all: [Duration] { waits.withLock { $0 } }
    var date: HTTPDate { HTTPDate(secondsSince1970: 0) }

    func wait(_ duration: Duration, watching socket: Int32) -> Bool {
        waits.withLock { $0.append(duration) }
        return result
    }
}

/// Encodes an image as its format, its size and its pixels.
struct PlainEncoder: ImageEncoder {
    let format: ImageFormat

    func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingFailure) -> Data {
        Data("\(format) \(bitmap.size) ".utf8) + Data(bitmap.pixels)
    }

    func encode(_ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions) throws(EncodingFailure) -> Data {
        guard format == .gif else { throw .animationUnsupported(format) }
        return Data("\(frames.count) frames".utf8)
    }
}

/// The system's clock. Signals when a delay begins and ends, and records whether the client stayed connected.
final class ObservedClock: ServerClock {
    let begun = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    private let real = SystemClock()
    private let results = Mutex<[Bool]>([])

    var all: [Bool] { results.withLock { $0 } }

    var date: HTTPDate { real.date }

    func wait(_ duration: Duration, watching socket: Int32) -> Bool {
        begun.signal()
        let stayed = real.wait(duration, watching: socket)
        results.withLock { $0.append(stayed) }
        ended.signal()
        return stayed
    }
}
