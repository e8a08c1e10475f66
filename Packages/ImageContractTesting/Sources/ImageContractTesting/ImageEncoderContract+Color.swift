import ImageCore

extension ImageEncoderContract {
    static let colorRule = ContractRule<Subject>(
        "a file describes the color space of its image, or the image is converted to sRGB"
    ) { subject in
        let size = PixelSize(width: 48, height: 32)
        let options = EncodingOptions(quality: 1, isLossless: true)
        for space in ColorSpace.allCases {
            let source = Bitmap.tiles(size, in: space)
            try subject.expectColor(of: try subject.encoder.encode(source, options: options), from: [source])
            guard subject.supportsAnimation else { continue }
            // The frames are in several color spaces.
            let frames = [source, .tiles(size, shift: 1, in: .sRGB)]
            let file = try subject.encoder.encode(
                frames.map { AnimationFrame(bitmap: $0, delay: .milliseconds(100)) }, loopCount: 0, options: options)
            try subject.expectColor(of: file, from: frames)
        }
    }
}

extension ImageEncoderContract.Subject {
    /// - Parameter frames: The first one is in the largest color space.
    fileprivate func expectColor(of file: Data, from frames: [Bitmap]) throws {
        let image = try decoder.open(file, limits: .default)
        let color = image.header.color
        let space = color == .sRGB ? .sRGB : frames[0].colorSpace
        try expect(color.describes(space), "the file of an image in \(space) describes another color space")
        for (index, frame) in frames.enumerated() {
            let pixels = try ImageDecoderContract.pixels(of: image, frame: index)
            let error = frame.converted(to: space).meanError(to: pixels)
            try expect(error <= (isLossless ? 0 : 6), "frame \(index) in \(space) is off by \(error) levels on average")
        }
    }
}

extension SourceColor {
    /// Whether this is a color space. Any profile will do for sRGB, and one with the same colorants for another one.
    fileprivate func describes(_ space: ColorSpace) -> Bool {
        guard let profile else { return self == SourceColor(primaries: space.primaries, transfer: space.transfer) }
        guard let expected = space.profile?.colorants else { return true }
        guard let colorants = profile.colorants else { return false }
        return zip(colorants, expected).allSatisfy { abs($0 - $1) < 0.002 }
    }
}

extension Data {
    /// The colorants of an ICC profile in CIE XYZ (ICC.1:2022, 9.2.44), or nil if it has none.
    fileprivate var colorants: [Double]? {
        let tags = ["rXYZ", "gXYZ", "bXYZ"].compactMap { ICCProfile.tag($0, of: self) }
        let numbers = tags.flatMap { tag in
            [8, 12, 16].compactMap { tag.bigEndian(at: $0, 4, as: UInt32.self) }
        }
        return numbers.count == 9 ? numbers.map { Double(Int32(bitPattern: $0)) / 65_536 } : nil
    }
}
