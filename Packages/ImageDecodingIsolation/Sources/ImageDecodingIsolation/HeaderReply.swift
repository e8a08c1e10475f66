#if os(Linux)
    package import ImageCore

    /// The header of a file in an answer. Its profile and the delays of its frames are in the memory for metadata.
    package struct HeaderReply: Equatable {
        /// The header without profile and delays.
        private(set) var header: ImageHeader
        private let profileByteCount: Int
        private let delayCount: Int

        private static let layouts: [PixelLayout] = [.rgba8, .gray8, .grayAlpha8, .cmyk8, .rgba16]

        package init(_ header: ImageHeader) {
            self.header = header
            profileByteCount = header.colorProfile.map { $0.count + 1 } ?? 0
            delayCount = header.frameDelays.count
        }

        /// The number of bytes of metadata: the profile, after a byte that tells an empty one from none, and the delays.
        var metadataByteCount: Int { profileByteCount + delayCount * WorkerSetup.bytesPerDelay }

        /// The metadata of a header.
        static func metadata(of header: ImageHeader) -> [UInt8] {
            var words = Words()
            for delay in header.frameDelays { words.append(delay) }
            return (header.colorProfile.map { [0] + $0 } ?? []) + words.bytes
        }

        func append(to words: inout Words) {
            for value in [
                header.storedSize.width, header.storedSize.height, header.orientation.rawValue, header.frameCount,
                header.loopCount, header.hasAlpha ? 1 : 0, Self.layouts.firstIndex(of: header.nativeLayout) ?? 0,
                header.hasGainMap ? 1 : 0, profileByteCount, delayCount,
            ] { words.append(value) }
            for point in header.color.primaries.points {
                words.append(point.x)
                words.append(point.y)
            }
            words.append(header.color.peakLuminance == nil ? 0 : 1)
            words.append(header.color.peakLuminance ?? 0)
            header.color.transfer.append(to: &words)
        }

        init(_ words: inout Words, format: String, setup: WorkerSetup) throws(ImageDecodingError) {
            let (format, limits) = (ImageFormat(rawValue: format), setup.limits)
            guard setup.formats.contains(format) else { throw .invalidAnswer("a format that it doesn't decode") }
            let size = PixelSize(width: words.next(), height: words.next())
            guard (1...limits.maxSide).contains(size.width), (1...limits.maxSide).contains(size.height),
                size.area <= limits.maxPixels
            else { throw .invalidAnswer("a size of \(size)") }
            guard let orientation = ImageOrientation(rawValue: words.next()) else {
                throw .invalidAnswer("an unknown orientation")
            }
            header = ImageHeader(format: format, storedSize: size, orientation: orientation, frameCount: words.next())
            header.loopCount = words.next()
            guard (1...limits.maxFrames).contains(header.frameCount), header.loopCount >= 0 else {
                throw .invalidAnswer("\(header.frameCount) frames that play \(header.loopCount) times")
            }
            header.hasAlpha = words.next() == 1
            guard let layout = words.next(of: Self.layouts) else { throw .invalidAnswer("an unknown layout") }
            header.nativeLayout = layout
            header.hasGainMap = words.next() == 1
            profileByteCount = words.next()
            delayCount = words.next()
            guard (0...limits.metadataByteLimit).contains(profileByteCount - 1) || profileByteCount == 0,
                delayCount == 0 || delayCount == header.frameCount
            else { throw .invalidAnswer("too much metadata") }
            header.color = try SourceColor(&words)
        }

        /// Returns the header with metadata, which can be any `metadataByteCount` bytes.
        func header(metadata: [UInt8]) throws(ImageDecodingError) -> ImageHeader {
            var header = header
            if profileByteCount > 0 {
                var color = SourceColor(profile: Data(metadata[1..<profileByteCount]))
                color.primaries = header.color.primaries
                color.transfer = header.color.transfer
                color.peakLuminance = header.color.peakLuminance
                header.color = color
            }
            var words = Words(Array(metadata.dropFirst(profileByteCount)))
            for _ in 0..<delayCount {
                let (seconds, attoseconds) = (words.next(), words.next())
                guard (0...86_400 * 365).contains(seconds), (0..<1_000_000_000_000_000_000).contains(attoseconds) else {
                    throw .invalidAnswer("a delay of \(seconds) seconds")
                }
                header.frameDelays.append(
                    Duration(secondsComponent: Int64(seconds), attosecondsComponent: Int64(attoseconds)))
            }
            return header
        }
    }

    extension RGBPrimaries {
        fileprivate var points: [Chromaticity] { [white, red, green, blue] }
    }

    extension TransferFunction {
        fileprivate func append(to words: inout Words) {
            switch self {
            case .parametric(let exponent, let scale, let offset, let slope, let threshold):
                words.append(0)
                for value in [exponent, scale, offset, slope, threshold] { words.append(value) }
            case .pq: words.append(1)
            case .hlg: words.append(2)
            }
        }
    }

    extension SourceColor {
        fileprivate init(_ words: inout Words) throws(ImageDecodingError) {
            var values = (0..<8).map { _ in words.nextDouble() }
            let hasPeak = words.next() == 1
            let peak = words.nextDouble()
            let kind = words.next()
            let curve = (0..<5).map { _ in words.nextDouble() }
            values += curve + [peak]
            guard values.allSatisfy(\.isFinite), (0...2).contains(kind) else {
                throw .invalidAnswer("an unknown color")
            }
            let points = (0..<4).map { RGBPrimaries.Chromaticity(x: values[$0 * 2], y: values[$0 * 2 + 1]) }
            let transfer: [TransferFunction] = [
                .parametric(
                    exponent: curve[0], scale: curve[1], offset: curve[2], slope: curve[3], threshold: curve[4]),
                .pq, .hlg,
            ]
            self.init(
                primaries: RGBPrimaries(white: points[0], red: points[1], green: points[2], blue: points[3]),
                transfer: transfer[kind])
            if hasPeak { peakLuminance = peak }
        }
    }
#endif
