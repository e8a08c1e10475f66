import CDecodingFloor
import Foundation
import ImageCore

/// The baseline: decodes with the C libraries alone into a reused buffer.
final class Floor {
    /// A call of a library. A size of 0 by 0 means the full size.
    enum Work {
        /// Decodes at the next scale that covers the size.
        case jpeg(Int32, Int32)
        case png(keepsRows: Bool)
        case webp(Int32, Int32)
        case webpAnimation
        case gif
        #if AVIF
            case avif
        #endif
        #if HEIF
            case heif
        #endif
        #if JXL
            case jxl
        #endif
    }

    /// The library failed to decode.
    private struct Failure: Error {}
    private var pixels: [UInt8]

    init(_ size: PixelSize) { pixels = [UInt8](repeating: 0, count: size.area * 4) }

    func decode(_ data: Data, _ work: Work) throws {
        let succeeded = unsafe data.withUnsafeBytes { bytes in
            unsafe pixels.withUnsafeMutableBufferPointer { pixels in
                unsafe Self.run(work, bytes.bindMemory(to: UInt8.self), pixels)
            }
        }
        if !succeeded { throw Failure() }
    }

    private static func run(
        _ work: Work, _ bytes: UnsafeBufferPointer<UInt8>, _ pixels: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        let (count, capacity) = (bytes.count, pixels.count)
        let (data, target) = (bytes.baseAddress, pixels.baseAddress)
        return switch work {
        case .jpeg(let width, let height): unsafe floor_jpeg(data, count, width, height, target, capacity)
        case .png(let keepsRows): unsafe floor_png(data, count, keepsRows, target, capacity)
        case .webp(let width, let height): unsafe floor_webp(data, count, width, height, target, capacity)
        case .webpAnimation: unsafe floor_webp_animation(data, count)
        case .gif: unsafe floor_gif(data, count)
        #if AVIF
            case .avif: unsafe floor_avif(data, count, target, capacity)
        #endif
        #if HEIF
            case .heif: unsafe floor_heif(data, count, target, capacity)
        #endif
        #if JXL
            case .jxl: unsafe floor_jxl(data, count, target, capacity)
        #endif
        }
    }
}
