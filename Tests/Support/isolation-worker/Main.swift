import CHostileCalls
import Glibc
import ImageCodecPNG
import ImageCore
import ImageDecoding
import ImageDecodingIsolation
import ImageLoaderKit

/// A program for tests. As a worker, it decodes images, and attacks its parent if a file says so.
@main
enum IsolationWorker {
    static func main() {
        ImageWorker.runIfAsked(makeEncoder: { $0 == "nobody" ? nil : HostileEncoder(name: $0) }) { setup in
            // No worker with a second thread can lock itself.
            if CommandLine.arguments[0].hasSuffix("unprotected") { startThread() }
            if let number = CommandLine.arguments[0].split(separator: "without-").last.flatMap({ Int($0) }) {
                let reply = WorkerReply.ready(protection: 15 - number).bytes(number: 0)
                unsafe hostile_send(reply, reply.count)
            }
            let decoders = [any ImageDecoder].all.filter { setup.formats.contains($0.format) }
            return HostileDecoder(base: DownsamplingDecoder.standard(decoders, limits: setup.limits))
        }
        print("not a worker")
    }

    private static func startThread() {
        var thread = pthread_t()
        unsafe pthread_create(&thread, nil, { _ in while true { pause() } }, nil)
    }
}

/// Encodes PNG, or attacks if its name says so.
struct HostileEncoder: ImageEncoder {
    let name: String
    var format: ImageFormat { .png }

    func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
        if name == "png" { return try PNGEncoder().encode(bitmap, options: options) }
        if name == "one byte" { return Data([7]) }
        throw attack()
    }

    func encode(
        _ frames: [AnimationFrame], loopCount: Int, options: EncodingOptions
    ) throws(ImageEncodingError) -> Data {
        if name == "png" { return try PNGEncoder().encode(frames, loopCount: loopCount, options: options) }
        throw attack()
    }

    private func attack() -> ImageEncodingError {
        attackParent(name, header: HeaderReply(HostileDecoder.header))
        return .failed(.png, "the attack was refused")
    }
}

/// Does what a file of the form `header:attack` or `pixels:attack` says. Decodes others.
struct HostileDecoder: SizedImageDecoder {
    let base: DownsamplingDecoder

    static let header = ImageHeader(format: .png, storedSize: PixelSize(width: 8, height: 8))

    func header(of data: Data) throws(ImageDecodingError) -> ImageHeader {
        if data.starts(with: "pixels:".utf8) { return Self.header }
        guard data.starts(with: "header:".utf8) else { return try base.header(of: data) }
        attack(data)
        throw .malformed(.png, "the attack was refused")
    }

    func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(ImageDecodingError) -> DecodedImage {
        guard data.starts(with: "pixels:".utf8) else {
            return try base.decode(data, request: request, isCancelled: isCancelled)
        }
        while data == Data("pixels:wait".utf8) { if isCancelled() { throw .cancelled } }
        attack(data)
        throw .malformed(.png, "the attack was refused")
    }

    func makeFrameReader(of data: Data, request: DecodingRequest) throws(ImageDecodingError) -> any FrameReader {
        try base.makeFrameReader(of: data, request: request)
    }

    func makeSession(request: DecodingRequest, throttle: PreviewThrottle) -> (any DecodingSession)? {
        base.makeSession(request: request, throttle: throttle)
    }

    private func attack(_ data: Data) {
        attackParent(String(decoding: data.dropFirst(7), as: UTF8.self), header: HeaderReply(Self.header))
    }
}

/// Answers wrongly, or makes a call to the system.
private func attackParent(_ words: String, header: HeaderReply) {
    func send(_ bytes: [UInt8]) { unsafe hostile_send(bytes, bytes.count) }
    let size = PixelSize(width: 8, height: 8)
    switch words {
    case "answer too much": send([UInt8](repeating: 1, count: 5_000))
    case "answer too little": send([1, 2, 3])
    case "answer twice": for _ in 0..<2 { send(WorkerReply.header(header).bytes(number: 1)) }
    case "answer another request": send(WorkerReply.header(header).bytes(number: 99))
    case "answer another size":
        send(WorkerReply.image(PixelSize(width: 1, height: 64), .sRGB, .complete).bytes(number: 2))
    case "answer another color": send(WorkerReply.image(size, .displayP3, .complete).bytes(number: 2))
    case "answer truncated": send(WorkerReply.image(size, .sRGB, .truncated).bytes(number: 2))
    case "answer preview": send(WorkerReply.image(size, .sRGB, .preview).bytes(number: 2))
    case "answer nothing": send(WorkerReply.nothing.bytes(number: 2))
    case "answer huge":
        let size = PixelSize(width: 1 << 40, height: 1 << 40)
        send(WorkerReply.header(HeaderReply(ImageHeader(format: .png, storedSize: size))).bytes(number: 1))
    case "answer a huge file": send(WorkerReply.encoded(1 << 40).bytes(number: 1))
    case "answer an empty file": send(WorkerReply.encoded(0).bytes(number: 1))
    case "answer two sizes": for number in 1...2 { send(WorkerReply.encoded(number).bytes(number: number)) }
    case "open and loop": for call in ["open /etc/passwd", "loop"] { unsafe hostile_call(call) }
    default: unsafe hostile_call(words)
    }
}
