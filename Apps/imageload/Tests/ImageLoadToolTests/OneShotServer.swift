import Foundation

/// Answers a single HTTP request on loopback, on its own thread.
final class OneShotServer: Sendable {
    let url: String

    init(_ body: Data) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isListening else { throw CocoaError(.featureUnsupported) }
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/a.png"
        Thread.detachNewThread {
            let connection = accept(listener, nil, nil)
            var request = [UInt8](repeating: 0, count: 65_536)
            _ = unsafe recv(connection, &request, request.count, 0)
            let response = Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + Array(body)
            _ = unsafe send(connection, response, response.count, Int32(MSG_NOSIGNAL))
            close(connection)
            close(listener)
        }
    }
}
