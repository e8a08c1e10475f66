import Foundation
import HTTPTransports
import ImageCodecJPEG
import ImageCodecPNG
import ImageCore
import ImageLoading
import ImageTesting
import ImageTransporting
import LoopbackServer
import Testing

@testable import ImageLoaderKit

/// A loader with real components and a temporary cache folder, which is removed with this object.
final class TestLoader: Sendable {
    let loader: ImageLoader
    let observer = RecordingObserver()
    let folder: URL
    private let keepsFolder: Bool

    /// - Parameter folder: An existing cache folder; nil for a new one.
    init(_ http: HTTPTransport, folder: URL? = nil, adjust: (inout ImageLoaderOptions) -> Void = { _ in }) {
        keepsFolder = folder != nil
        self.folder = folder ?? FileManager.default.temporaryDirectory.appending(path: "loader-\(UUID().uuidString)")
        var defaults = ImageLoaderOptions(cacheDirectory: self.folder)
        defaults.makeTransport = { Self.transport(http) ?? $0 }
        defaults.retryPolicy.maxRetries = 0
        defaults.transferOptions = .patient
        defaults.storeClock = nil
        defaults.connectivityMonitor = nil  // the state of the machine
        defaults.observer = observer
        adjust(&defaults)
        loader = ImageLoader(defaults)
    }

    deinit {
        if keepsFolder { return }
        // A released cache may still write its index while the folder is being removed.
        for _ in 0..<100 where isThere { try? FileManager.default.removeItem(at: folder) }
        if isThere { Issue.record("can't remove the test's folder") }
    }

    private var isThere: Bool { FileManager.default.fileExists(atPath: folder.path) }

    /// Returns the transport, or nil for the platform's default.
    private static func transport(_ http: HTTPTransport) -> (any DataTransport)? {
        http == HTTPTransport.allCases.first ? nil : http.make()
    }

    var kinds: [ImageLoadEvent.Kind] { observer.kinds() }

    /// Returns the error of a request for an original; nil if it succeeds.
    func failure(_ request: ImageRequest) async -> ImageError? {
        do throws(ImageError) {
            _ = try await loader.data(for: request)
            return nil
        } catch {
            return error
        }
    }
}

/// Generates test images.
enum Images {
    /// Headers that keep a response fresh during a test.
    static let fresh = ["Cache-Control": "max-age=600"]

    /// Returns an opaque gradient with some structure.
    static func bitmap(_ width: Int, _ height: Int) -> Bitmap {
        var pixels: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                pixels += [UInt8(255 * x / width), UInt8(255 * y / height), UInt8((x ^ y) & 255), 255]
            }
        }
        return Bitmap(size: PixelSize(width: width, height: height), pixels: pixels, isOpaque: true)
    }

    static func jpeg(_ width: Int, _ height: Int) throws -> [UInt8] {
        Array(try JPEGEncoder().encode(bitmap(width, height), options: EncodingOptions()))
    }

    static func png(_ width: Int, _ height: Int) throws -> [UInt8] {
        Array(try PNGEncoder().encode(bitmap(width, height), options: EncodingOptions()))
    }
}

extension ImageRequest {
    init(_ url: URL, fit side: Int, _ policy: ImageCachePolicy = .all) {
        self.init(url: url, target: ImageTarget(PixelSize(width: side, height: side)), cachePolicy: policy)
    }
}

extension TransferOptions {
    /// Long limits for tests of other behavior, because transfers can stall on a busy machine.
    static let patient = TransferOptions(connectTimeout: .seconds(600), stallTimeout: .seconds(600))
}
