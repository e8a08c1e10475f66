import ImageContractTesting
import ImageCore
import ImageTesting

/// Images for the contract of decoders that support animation and alpha.
enum CodecSample: CaseIterable {
    case opaque, transparent, animated, animatedTransparent

    var size: PixelSize { PixelSize(width: 17, height: 11) }

    var frameCount: Int { self == .animated || self == .animatedTransparent ? 3 : 1 }

    private var hasAlpha: Bool { self == .transparent || self == .animatedTransparent }

    func encoded(by encoder: any ImageEncoder, options: EncodingOptions = .init()) throws -> Data {
        let frames = (0..<frameCount).map {
            AnimationFrame(bitmap: bitmap(seed: UInt64($0)), delay: .milliseconds(40 + 10 * $0))
        }
        if frames.count == 1 { return try encoder.encode(frames[0].bitmap, options: options) }
        return try encoder.encode(frames, loopCount: 0, options: options)
    }

    /// Returns noise over a gradient, which has many colors and a large file.
    private func bitmap(seed: UInt64) -> Bitmap {
        var random = SeededRandom(seed: seed)
        var pixels: [UInt8] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                let noise = UInt8.random(in: 0...20, using: &random)
                let alpha: UInt8 = hasAlpha && (x / 4 + y / 4) % 3 == 0 ? 0 : 255
                pixels += [UInt8(x * 15), UInt8(y * 23), noise * 5, alpha]
            }
        }
        return Bitmap(size: size, pixels: pixels, isOpaque: !hasAlpha)
    }
}

extension ImageDecoderContract.Sample {
    /// Returns a lossy and a lossless file of each sample, or one of them.
    static func all(
        by encoder: any ImageEncoder, of samples: [CodecSample] = CodecSample.allCases,
        isLossless kinds: [Bool] = [false, true]
    ) throws -> [ImageDecoderContract.Sample] {
        try samples.flatMap { sample in
            try kinds.map { isLossless in
                ImageDecoderContract.Sample(
                    "\(sample), \(isLossless ? "lossless" : "lossy")",
                    try sample.encoded(by: encoder, options: EncodingOptions(isLossless: isLossless)),
                    storedSize: sample.size, frameCount: sample.frameCount)
            }
        }
    }
}
