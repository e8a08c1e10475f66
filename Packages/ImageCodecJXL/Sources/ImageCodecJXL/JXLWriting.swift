#if JXL
    import CImageCodecJXL
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Writes a file with libjxl, frame by frame.
    ///
    /// Safe: the handle is valid from `init` to `deinit` and never leaves the class.
    @safe final class JXLWriter {
        /// The part of the file that has been written.
        private(set) var data = Data()
        private let hasAlpha: Bool
        private let handle: OpaquePointer

        /// - Parameter loopCount: The number of times that an animation plays. Nil for a still image.
        init(
            _ encoder: JXLEncoder, size: PixelSize, hasAlpha: Bool, loopCount: Int? = nil, options: EncodingOptions
        ) throws(EncodingFailure) {
            self.hasAlpha = hasAlpha
            var settings = unsafe jxl_settings()
            unsafe settings.width = UInt32(size.width)
            unsafe settings.height = UInt32(size.height)
            unsafe settings.has_alpha = hasAlpha ? 1 : 0
            unsafe settings.is_lossless = options.isLossless ? 1 : 0
            unsafe settings.distance = options.distance
            unsafe settings.effort = CInt(encoder.effort)
            unsafe settings.is_progressive = options.isProgressive ? 1 : 0
            unsafe settings.orientation = CInt(encoder.orientation.rawValue)
            unsafe settings.is_animated = loopCount == nil ? 0 : 1
            unsafe settings.loops = UInt32(clamping: loopCount ?? 0)
            guard let handle = unsafe Self.open(&settings, profile: encoder.colorProfile) else {
                throw .failed(.jxl, "libjxl could not start the file")
            }
            unsafe self.handle = handle
        }

        deinit { unsafe jxl_encoder_close(handle) }

        private static func open(_ settings: inout jxl_settings, profile: Data?) -> OpaquePointer? {
            guard let profile else { return unsafe jxl_encoder_open(&settings) }
            return unsafe profile.withUnsafeBytes { bytes in
                unsafe settings.profile = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                unsafe settings.profile_length = bytes.count
                return unsafe jxl_encoder_open(&settings)
            }
        }

        /// Adds a frame and writes it.
        func add(_ bitmap: Bitmap, milliseconds: UInt32, isLast: Bool) throws(EncodingFailure) {
            let isAdded = unsafe pixels(of: bitmap).withUnsafeBufferPointer { pixels in
                unsafe jxl_encoder_add(handle, pixels.baseAddress, pixels.count, milliseconds, isLast ? 1 : 0) != 0
            }
            guard isAdded, write() else { throw .failed(.jxl, "libjxl could not encode the image") }
        }

        private func pixels(of bitmap: Bitmap) -> [UInt8] {
            hasAlpha ? bitmap.pixels : bitmap.packed().packedPixels ?? []
        }

        /// Appends the encoded frames to `data`.
        private func write() -> Bool {
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = unsafe buffer.withUnsafeMutableBufferPointer { bytes in
                    unsafe jxl_encoder_write(handle, bytes.baseAddress, bytes.count)
                }
                if count <= 0 { return count == 0 }
                data.append(contentsOf: buffer[..<count])
            }
        }
    }

    extension EncodingOptions {
        /// The distance of Butteraugli, by libjxl's conversion from a quality.
        fileprivate var distance: Float {
            let quality = 100 * (quality.isNaN ? EncodingOptions().quality : min(max(quality, 0), 1))
            if quality >= 30 { return Float(0.1 + (100 - quality) * 0.09) }
            return Float(53.0 / 3000 * quality * quality - 23.0 / 20 * quality + 25)
        }
    }
#endif
