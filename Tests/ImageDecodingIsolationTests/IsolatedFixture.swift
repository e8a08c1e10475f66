import Foundation
import ImageCore
import ImageDecoding
import ImageDecodingIsolation
import ImageLoaderKit
import ImageTesting

/// Decoders over workers of the test program, which attack if a file says so.
struct IsolatedFixture {
    let events = MessageLog<WorkerEvent>()
    let local: DownsamplingDecoder
    let decoders: IsolatedDecoders

    init(limits: DecodingLimits = .default, change: (inout ImageIsolation) -> Void = { _ in }) {
        var isolation = ImageIsolation.workers(1)
        isolation.program = Self.program
        isolation.onEvent = { [events] event in events.append(event) }
        change(&isolation)
        local = DownsamplingDecoder.standard(.all, limits: limits)
        decoders = IsolatedDecoders(
            formats: [any ImageDecoder].all.map(\.format), limits: limits, isolation: isolation)
    }

    /// The path of the test program, which is built into the folder of the tests.
    static var program: String {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "isolation-worker")
            .path
    }

    /// Decodes a file that attacks. Returns the failure, or nil if there is none.
    func failure(_ attack: String) -> ImageDecodingError? {
        do throws(ImageDecodingError) {
            _ = try decoders.decode(Data(attack.utf8))
            return nil
        } catch {
            return error
        }
    }
}

/// Returns a value or a failure, to compare two decoders.
func outcome<Value>(_ body: () throws -> Value) -> Result<Value, ImageDecodingError> {
    do {
        return .success(try body())
    } catch {
        return .failure(error as? ImageDecodingError ?? .malformed(.png, "an error of another type: \(error)"))
    }
}
