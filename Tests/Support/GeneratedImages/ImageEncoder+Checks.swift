public import ImageCore

extension ImageEncoder {
    /// Returns the error of encoding an opaque image, or an animation with this number of equal frames. Nil if there is none.
    public func failure(
        _ width: Int, _ height: Int, frames: Int? = nil, isCancelled: Bool = false
    ) async -> ImageEncodingError? {
        let size = PixelSize(width: width, height: height)
        let bitmap = Bitmap(size: size, pixels: [UInt8](repeating: 255, count: size.area * 4), isOpaque: true)
        return await withTaskGroup(of: ImageEncodingError?.self) { group in
            if isCancelled { group.cancelAll() }
            group.addTask {
                do throws(ImageEncodingError) {
                    if let frames {
                        let frame = AnimationFrame(bitmap: bitmap, delay: .milliseconds(50))
                        _ = try encode(Array(repeating: frame, count: frames), loopCount: 0, options: EncodingOptions())
                    } else {
                        _ = try encode(bitmap, options: EncodingOptions())
                    }
                    return nil
                } catch { return error }
            }
            return await group.next() ?? nil
        }
    }

    /// Returns whether images with a side of this length are encoded, and images with a longer one are unsupported.
    public func hasLongestSide(_ length: Int) async -> Bool {
        let (wide, high) = (PixelSize(width: length + 1, height: 1), PixelSize(width: 1, height: length + 1))
        let fits = await failure(length, 1) == nil
        let isWide = await failure(length + 1, 1) == .unsupportedSize(format, wide)
        let isHigh = await failure(1, length + 1) == .unsupportedSize(format, high)
        return fits && isWide && isHigh
    }
}

extension Bitmap {
    /// An orange image of 8 by 8 pixels in Display P3.
    public static var displayP3: Bitmap {
        let pixels = [[UInt8]](repeating: [200, 100, 50, 255], count: 64).flatMap { $0 }
        return Bitmap(size: PixelSize(width: 8, height: 8), pixels: pixels, isOpaque: true, colorSpace: .displayP3)
    }
}
