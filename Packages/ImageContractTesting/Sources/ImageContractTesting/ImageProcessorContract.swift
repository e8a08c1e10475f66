public import ImageCore

/// The contract of `ImageProcessor`.
public enum ImageProcessorContract {
    /// Two processors of the same type with different parameters.
    public struct Subject: Sendable {
        /// The processor under test.
        public var processor: any ImageProcessor
        /// A processor of the same type with other parameters.
        public var other: any ImageProcessor

        /// Creates a subject from two processors of the same type with different parameters.
        public init(_ processor: any ImageProcessor, other: any ImageProcessor) {
            self.processor = processor
            self.other = other
        }
    }

    /// All rules.
    public static let rules: [ContractRule<Subject>] = [
        ContractRule("the processor returns the same image each time") { subject in
            for image in images {
                let results = try (0..<3).map { _ in try subject.processor.process(image) }
                try expect(Set(results).count == 1, "different results for \(image.size)")
            }
        },
        ContractRule("the identifier is stable, and differs for other parameters") { subject in
            let name = subject.processor.identifier
            try expect(!name.isEmpty, "the identifier is empty")
            try expect(name == subject.processor.identifier, "the identifier is different the second time")
            try expect(name != subject.other.identifier, "the identifier is also \(name) with other parameters")
        },
        ContractRule("an image is marked as opaque if and only if it is") { subject in
            for image in images {
                let result = try subject.processor.process(image)
                let isOpaque = stride(from: 3, to: result.pixels.count, by: 4).allSatisfy { result.pixels[$0] == 255 }
                try expect(result.isOpaque == isOpaque, "\(image.size): isOpaque is \(result.isOpaque)")
            }
        },
        ContractRule("the processor keeps the color space") { subject in
            for image in images {
                let result = try subject.processor.process(image.converted(to: .displayP3))
                try expect(result.colorSpace == .displayP3, "\(image.size) became \(result.colorSpace)")
            }
        },
        ContractRule("the processor handles several images concurrently") { subject in
            let expected = try images.map { try subject.processor.process($0) }
            try await withThrowingTaskGroup(of: (Int, Bitmap).self) { group in
                for index in 0..<images.count * 4 {
                    let which = index % images.count
                    group.addTask { (which, try subject.processor.process(images[which])) }
                }
                for try await (index, result) in group {
                    try expect(result == expected[index], "the result is different during concurrent calls")
                }
            }
        },
        ContractRule("the alpha of an image that is marked as opaque does not affect the result") { subject in
            for (opaque, translucent) in zip(images.filter(\.isOpaque), images.filter { !$0.isOpaque }) {
                let marked = Bitmap(size: opaque.size, pixels: translucent.pixels, isOpaque: true)
                let result = try subject.processor.process(marked).withoutHiddenAlpha
                try expect(try result == subject.processor.process(opaque), "\(opaque.size): alpha shows")
            }
        },
        ContractRule("the colors of transparent pixels do not affect the result") { subject in
            for size in [PixelSize(width: 1, height: 1), PixelSize(width: 23, height: 17)] {
                let results = try [[255, 0, 90], [0, 255, 160]].map { hidden in
                    visible(of: try subject.processor.process(partlyHidden(size, hidden)))
                }
                try expect(results[0] == results[1], "\(size): the result depends on transparent pixels")
            }
        },
    ]

    /// Images of different sizes, opaque and with alpha.
    private static let images: [Bitmap] = [(1, 1), (40, 30), (7, 90)].flatMap { width, height in
        [true, false].map { isOpaque in
            let size = PixelSize(width: width, height: height)
            let pixels = (0..<size.area * 4).map { index in
                isOpaque && index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: index * 37 + index / 100)
            }
            return Bitmap(size: size, pixels: pixels, isOpaque: isOpaque)
        }
    }

    /// Returns an image in which every second pixel has this color and is transparent.
    private static func partlyHidden(_ size: PixelSize, _ color: [UInt8]) -> Bitmap {
        let pixels = (0..<size.area).flatMap { index -> [UInt8] in
            index % 2 == 0 ? color + [0] : [UInt8(truncatingIfNeeded: index * 5), 40, 200, 130]
        }
        return Bitmap(size: size, pixels: pixels, isOpaque: false)
    }

    /// Returns the pixels, with transparent ones as zeros.
    private static func visible(of bitmap: Bitmap) -> [UInt8] {
        bitmap.pixels.indices.map { bitmap.pixels[$0 | 3] == 0 ? 0 : bitmap.pixels[$0] }
    }
}
