#if HEIF
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// A HEIF file whose boxes have been read.
    final class OpenedHEIF: OpenedImage {
        let header: ImageHeader
        private let container: HEIFContainer
        private let structure: HEIFStructure
        private let limits: DecodingLimits

        /// The memory in bytes for rows that are converted at once.
        private static let stripBytes = 256 << 10

        init(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) {
            container = try HEIFContainer(of: data)
            structure = try HEIFStructure(of: container, limits: limits)
            header = try structure.header(of: container, limits: limits)
            self.limits = limits
        }

        /// Returns the stored size divided by 8, 4 or 2, rounded up. Returns the stored size for images with alpha.
        func decodableSize(covering target: PixelSize) -> PixelSize {
            [8, 4, 2].filter(canShrink).map { stored.divided(by: $0) }.first { $0.covers(target) } ?? stored
        }

        /// Returns the size of the thumbnail in the file for speed, if it covers the target.
        func decodableSize(covering target: PixelSize, preference: DecodingPreference) -> PixelSize {
            if preference == .speed, let thumbnail = structure.thumbnail?.size, thumbnail.covers(target),
                thumbnail.area < stored.area
            {
                return thumbnail
            }
            return decodableSize(covering: target)
        }

        /// Returns the size of the samples that are held while rows are delivered, in bytes.
        func heldBytes(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int {
            structure.image.heldBytes + (structure.alpha?.heldBytes ?? 0)
        }

        func decode(
            frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
            into sink: any PixelRowSink
        ) throws(DecodingFailure) {
            guard index == 0 else { throw .noSuchFrame(index, frameCount: 1) }
            guard layout == .rgba8 else { throw .unsupported(.heic, "the image can only be decoded as RGBA") }
            if preference == .speed, let thumbnail = structure.thumbnail, size == thumbnail.size, size != stored {
                return try decode(thumbnail.image, thumbnail.area, shrinking: 1, into: sink)
            }
            guard let shrinking = [1, 2, 4, 8].first(where: { canShrink($0) && stored.divided(by: $0) == size }) else {
                throw .unsupported(.heic, "the image can't be decoded at \(size)")
            }
            try decode(structure.image, structure.area, shrinking: shrinking, into: sink)
        }

        private var stored: PixelSize { header.storedSize }

        /// Whether the image can be shrunk by a factor: its chroma samples must start with the first pixel.
        private func canShrink(_ factor: Int) -> Bool {
            factor == 1 || (structure.alpha == nil && structure.area.left % 2 == 0 && structure.area.top % 2 == 0)
        }

        private func decode(
            _ image: HEIFImage, _ area: PixelArea, shrinking: Int, into sink: any PixelRowSink
        ) throws(DecodingFailure) {
            let alpha = structure.alpha
            let working = image.heldBytes + image.workingBytes(in: container) + (alpha?.heldBytes ?? 0)
            try limits.check(.decodedBytes, working)
            try limits.check(.decodedBytes, image.heldBytes + (alpha?.workingBytes(in: container) ?? 0))
            let strips = StripDecoder(
                color: PlaneSource(image, in: container), alpha: alpha.map { PlaneSource($0, in: container) },
                area: area,
                shrinking: shrinking)
            try strips.decode(into: sink, stripBytes: Self.stripBytes) { coded throws(DecodingFailure) in
                // Without properties, the HEVC data says whether it is HDR.
                if structure.color == nil, header.colorProfile == nil { _ = try coded.calibration() }
                return try HEIFConverter(
                    area, shrinking: shrinking, color: structure.color ?? coded, sequence: image.sequence,
                    isPremultiplied: structure.isPremultiplied)
            }
        }
    }

    /// Decodes, converts and delivers an image in strips of rows.
    private struct StripDecoder {
        let color: PlaneSource
        let alpha: PlaneSource?
        let area: PixelArea
        let shrinking: Int

        /// - Parameter converter: Returns the conversion for a color in the HEVC data.
        func decode(
            into sink: any PixelRowSink, stripBytes: Int,
            converter: (CodingColor) throws(DecodingFailure) -> HEIFConverter
        ) throws(DecodingFailure) {
            let size = PixelSize(width: area.width, height: area.height).divided(by: shrinking)
            let stride = 4 * size.width
            let stripRows = min(size.height, max(1, stripBytes / stride))
            var strip = [UInt8](repeating: 0, count: stripRows * stride)
            var row = 0
            while row < size.height {
                try sink.checkCancellation()
                try decodeRows(for: row, of: size.height, into: sink)
                let end = min(row + stripRows, availableRows(of: size.height))
                guard let planes = color.planes else { return }
                try converter(color.coded).convert(row..<end, of: planes, alpha: alpha?.planes, into: &strip)
                for y in 0..<end - row {
                    try sink.receive(strip.span.extracting(y * stride..<(y + 1) * stride))
                }
                row = end
                color.removeRows(above: area.top + row * shrinking)
                alpha?.removeRows(above: area.top + row)
            }
        }

        /// Decodes until an output row can be converted.
        private func decodeRows(for row: Int, of height: Int, into sink: any PixelRowSink) throws(DecodingFailure) {
            for source in [color, alpha].compactMap({ $0 }) {
                while availableRows(in: source, of: height) <= row {
                    try source.decodeRows { () throws(DecodingFailure) in try sink.checkCancellation() }
                }
            }
        }

        private func availableRows(of height: Int) -> Int {
            min(availableRows(in: color, of: height), alpha.map { availableRows(in: $0, of: height) } ?? height)
        }

        /// Returns the number of output rows for which all rows are decoded, with one more for subsampled chroma.
        private func availableRows(in source: PlaneSource, of height: Int) -> Int {
            if source.isComplete { return height }
            let rows = max(0, source.rowCount - 1 - area.top)
            return min(height, rows / shrinking)
        }
    }

    extension PixelSize {
        /// Returns the size divided by a number, rounded up.
        fileprivate func divided(by divisor: Int) -> PixelSize {
            PixelSize(width: (width + divisor - 1) / divisor, height: (height + divisor - 1) / divisor)
        }

        fileprivate func covers(_ other: PixelSize) -> Bool { width >= other.width && height >= other.height }
    }
#endif
