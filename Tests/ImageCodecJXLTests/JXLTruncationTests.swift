#if JXL
    import Foundation
    import GeneratedImages
    import ImageCodecJXL
    import ImageCore
    import ImageTesting
    import TestJXL
    import TestProfiles
    import Testing

    @Suite("Truncated and arriving JPEG XL")
    struct JXLTruncationTests {
        private static let size = PixelSize(width: 280, height: 1100)

        private static func file(isLossless: Bool, channels: Int = 3, resampling: Int = 0) throws -> Data {
            var coding = TestJXL(size, channels: channels)
            coding.isLossless = isLossless
            coding.resampling = resampling
            return try coding.file(JXLSamples.bytes(size, channels: channels))
        }

        @Test("a truncated lossless image delivers the complete rows", arguments: [3, 4])
        func lossless(channels: Int) throws {
            let data = try Self.file(isLossless: true, channels: channels)
            let whole = jxl.rows(data).rows
            let (rows, failure) = jxl.rows(data.prefix(data.count * 3 / 5))
            #expect(failure == .truncated(.jpegXL))
            #expect(rows.count > 256 && rows.count < 1100)
            let isEqual = rows.elementsEqual(whole.prefix(rows.count))
            #expect(isEqual)
        }

        @Test("a truncated lossy image delivers all rows with less detail")
        func lossy() throws {
            let data = try Self.file(isLossless: false)
            let whole = jxl.rows(data).rows
            let (rows, failure) = jxl.rows(data.prefix(data.count * 3 / 5))
            #expect(failure == .truncated(.jpegXL))
            #expect(rows.count == 1100)
            #expect(rows[0].largestDifference(to: whole[0]) == 0)
            #expect(rows[1099].largestDifference(to: whole[1099]) > 0)
            #expect(rows.flatMap { $0 }.signalToNoise(to: whole.flatMap { $0 }) > 18)
        }

        @Test("a truncated lossy image with alpha delivers the rows that the rest doesn't affect", arguments: [1, 2])
        func lossyAlpha(resampling: Int) throws {
            let data = try Self.file(isLossless: false, channels: 4, resampling: resampling)
            let whole = jxl.rows(data).rows
            let (rows, failure) = jxl.rows(data.prefix(data.count * 2 / 3))
            #expect(failure == .truncated(.jpegXL))
            #expect(rows.count > 400 && rows.count < 1100)
            // The filters change the last rows of a group when the next group arrives.
            let isEqual = rows.elementsEqual(whole.prefix(rows.count))
            #expect(isEqual)
        }

        @Test("a lossless image gains rows as they arrive, and rows do not change", arguments: [3, 4])
        func arrivingRows(channels: Int) throws {
            let data = try Self.file(isLossless: true, channels: channels)
            let whole = jxl.rows(data).rows
            var seen: Set<Int> = []
            try Self.feed(data, in: 1500) { image in
                let sink = CollectingRowSink()
                try image.decodePreview(into: sink)
                let isEqual = sink.rows.elementsEqual(whole.prefix(image.extent.rows))
                #expect(isEqual)
                seen.insert(image.extent.rows)
            }
            #expect(seen.count > 4 && seen.contains(1100))
        }

        @Test("a lossy image is shown as a whole, and each preview is closer to the image")
        func arrivingDetail() throws {
            let data = try Self.file(isLossless: false)
            let whole = try jxl.pixels(data)
            var ratios: [Double] = []
            var last = PreviewExtent.nothing
            try Self.feed(data, in: 500) { image in
                guard image.extent != last else { return }
                last = image.extent
                #expect(last.rows == 1100)
                let sink = CollectingRowSink()
                try image.decodePreview(into: sink)
                ratios.append(sink.pixels.signalToNoise(to: whole))
            }
            #expect(ratios.count > 3 && ratios.last == .infinity)
            #expect(zip(ratios, ratios.dropFirst()).allSatisfy { $0 <= $1 })
        }

        @Test("an animation has a header but no previews")
        func arrivingAnimation() throws {
            var coding = TestJXL(JXLSamples.size)
            coding.ticks = .init(100, 1)
            let frame = TestJXL.Frame(JXLSamples.bytes(channels: 3), duration: 4)
            let image = try Self.feed(coding.file([frame, frame]), in: 64) { #expect($0.extent == .nothing) }
            #expect(image.header?.storedSize == JXLSamples.size)
        }

        @Test("composed layers have no previews before they are complete", arguments: [0, 1])
        func arrivingLayers(blendMode: Int) throws {
            let samples = JXLSamples.bytes(Self.size, channels: 3)
            // The first one covers a part of the canvas, and the other one is added to all of it.
            let area = TestJXL.Area(left: 0, top: 0, width: Self.size.width, height: 1000)
            let part = TestJXL.Frame(Array(samples.prefix(area.width * area.height * 3)), area: area)
            let layer = blendMode == 0 ? part : TestJXL.Frame(samples, blendMode: blendMode)
            var rows: Set<Int> = []
            try Self.feed(TestJXL(Self.size).file([.init(samples), layer]), in: 1500) { rows.insert($0.extent.rows) }
            #expect(rows == [0, 1100])
        }

        /// Appends a file in pieces and calls `body` after each.
        @discardableResult private static func feed(
            _ data: Data, in length: Int, body: (any IncrementalImage) throws -> Void
        ) throws -> any IncrementalImage {
            let image = JXLDecoder().makeIncrementalImage(limits: .default)
            var isStarted = false
            for start in stride(from: 0, to: data.count, by: length) {
                try image.append(data.dropFirst(start).prefix(length))
                if !isStarted, let size = image.header?.storedSize {
                    try image.start(size: size, layout: .rgba8)
                    isStarted = true
                }
                if isStarted { try body(image) }
            }
            return image
        }

        @Test("a frame in several boxes is decoded if they arrive in pieces or several at once", arguments: [1, 300])
        func boxes(length: Int) throws {
            let codestream = try TestJXL(JXLSamples.size).file(JXLSamples.bytes(channels: 3))
            let file = TestJXL.container(TestJXL.parts(of: codestream, length: 100))
            let image = try Self.feed(file, in: length) { _ in }
            let sink = CollectingRowSink()
            try image.decodePreview(into: sink)
            #expect(try sink.pixels.largestDifference(to: jxl.pixels(codestream)) == 0)
        }
    }

    @Suite("Limits of JPEG XL")
    struct JXLLimitTests {
        private static let size = JXLSamples.size

        private static func limit(_ failure: ImageDecodingError?) -> DecodingLimit? {
            if case .limitExceeded(let limit, let value, let allowed) = failure, value > allowed { limit } else { nil }
        }

        private static func opening(_ data: Data, _ limits: DecodingLimits = .default) -> ImageDecodingError? {
            do throws(ImageDecodingError) {
                _ = try jxl.open(data, limits: limits)
                return nil
            } catch {
                return error
            }
        }

        @Test("a profile above the limit is ignored")
        func profile() throws {
            var coding = TestJXL(Self.size)
            let profile = TestProfile.rgb(white: TestProfile.d65, primaries: TestProfile.p3Primaries, gamma: 1.8)
            coding.profile = profile
            let data = try coding.file(JXLSamples.bytes(channels: 3))
            var limits = DecodingLimits(metadataByteLimit: profile.count)
            #expect(try jxl.open(data, limits: limits).header.colorProfile == profile)
            limits.metadataByteLimit -= 1
            let header = try jxl.open(data, limits: limits).header
            #expect(header.color == .sRGB)
        }

        @Test("the output and the working memory are limited before decoding", arguments: [false, true])
        func memory(isLossless: Bool) throws {
            var coding = TestJXL(Self.size)
            coding.isLossless = isLossless
            let data = try coding.file(JXLSamples.bytes(channels: 3))
            // Four bytes a pixel for the output, and at least four for libjxl.
            let tooSmall = DecodingLimits(decodedByteLimit: 8 * Self.size.area - 1)
            #expect(Self.limit(jxl.rows(data, limits: tooSmall).failure) == .decodedBytes)
            #expect(jxl.rows(data, limits: DecodingLimits(decodedByteLimit: 64 * Self.size.area)).failure == nil)
        }

        @Test("an image that arrives has the limits of a file, and its stored size")
        func arriving() throws {
            func image(_ limits: DecodingLimits) -> any IncrementalImage {
                JXLDecoder().makeIncrementalImage(limits: limits)
            }
            let data = try TestJXL(Self.size).file(JXLSamples.bytes(channels: 3))
            let short = image(DecodingLimits(encodedByteLimit: data.count - 1))
            #expect(
                throws: ImageDecodingError.limitExceeded(.encodedBytes, value: data.count, allowed: data.count - 1)
            ) { try short.append(data) }
            // Four bytes a pixel, and two images of integers.
            let held = 28 * Self.size.area
            let small = image(DecodingLimits(decodedByteLimit: held - 1))
            try small.append(data)
            #expect(throws: ImageDecodingError.limitExceeded(.decodedBytes, value: held, allowed: held - 1)) {
                try small.start(size: Self.size, layout: .rgba8)
            }
            let unlimited = image(DecodingLimits(decodedByteLimit: held))
            try unlimited.append(data)
            let other = PixelSize(width: 20, height: 13)
            #expect(
                throws: ImageDecodingError.unsupported(.jpegXL, "the image can only be decoded at its stored size")
            ) { try unlimited.start(size: other, layout: .rgba8) }
            try unlimited.start(size: Self.size, layout: .rgba8)
            #expect(unlimited.extent.rows == Self.size.height)
        }

        /// The bytes that libjxl needs for each pixel of a coding, with those of the output.
        private static let codings: [(change: @Sendable (inout TestJXL) -> Void, bytes: Int)] = [
            ({ _ in }, 28), ({ $0.channels = 4 }, 36), ({ $0.isLossless = false }, 8),
            (
                {
                    $0.channels = 4
                    $0.isLossless = false
                }, 40
            ),
        ]

        @Test("the working memory depends on channels and the kind of coding", arguments: codings.indices)
        func workingMemory(index: Int) throws {
            var coding = TestJXL(Self.size)
            Self.codings[index].change(&coding)
            let image = JXLDecoder().makeIncrementalImage(limits: .default)
            try image.append(coding.file(JXLSamples.bytes(channels: coding.channels)))
            #expect(image.heldByteCount(size: Self.size, layout: .rgba8) == Self.codings[index].bytes * Self.size.area)
        }

        @Test("several passes need memory for their coefficients, and other channels for all groups")
        func passes() throws {
            let data = try JXLSectionOrderTests.file("progressive-small-alpha")
            // The output, 12 bytes for coefficients, 4 for blocks, and four channels of floats twice.
            let needed = (4 + 12 + 4 + 2 * 16) * 1_100 * 960
            let failure = jxl.rows(data, limits: DecodingLimits(decodedByteLimit: needed - 1)).failure
            #expect(failure == .limitExceeded(.decodedBytes, value: needed, allowed: needed - 1))
        }

        @Test(
            "a hidden frame above the limits is rejected, because libjxl would allocate it",
            arguments: ["40000-by-40000": DecodingLimit.pixels, "1000000-by-10": .side])
        func hiddenFrame(size: String, limit: DecodingLimit) throws {
            #expect(Self.limit(Self.opening(try JXLSectionOrderTests.file("hidden-frame-\(size)"))) == limit)
        }

        @Test("the pixels of all layers of an image are limited")
        func layers() throws {
            let coding = TestJXL(Self.size)
            let layer = TestJXL.Frame(JXLSamples.bytes(channels: 3))
            let data = try coding.file([TestJXL.Frame](repeating: layer, count: 7))
            #expect(Self.limit(Self.opening(data, DecodingLimits(maxPixels: Self.size.area))) == .pixels)
            #expect(Self.opening(data) == nil)
            // A frame can have a few hidden ones.
            #expect(Self.opening(data, DecodingLimits(maxFrames: 1)) == nil)
            let more = try coding.file([TestJXL.Frame](repeating: layer, count: 8))
            #expect(
                Self.opening(more, DecodingLimits(maxFrames: 1)) == .limitExceeded(.frames, value: 2, allowed: 1))
        }

        @Test("data without signature or with a damaged header is malformed, and the start of a signature is truncated")
        func damage() throws {
            let data = try TestJXL(Self.size).file(JXLSamples.bytes(channels: 3))
            #expect(Self.opening(Data("GIF89a".utf8)) == .malformed(.jpegXL, "the signature is missing"))
            #expect(Self.opening(Data([0, 0, 0, 12, 0x4A])) == .truncated(.jpegXL))
            #expect(Self.opening(data.prefix(2)) == .truncated(.jpegXL))
            #expect(Self.opening(TestJXL.container([])) == .truncated(.jpegXL))
            var damaged = data
            for index in data.count / 2..<data.count { damaged[index] = 0x55 }
            let failure = jxl.rows(damaged).failure
            #expect(failure == .malformed(.jpegXL, "libjxl rejected the data"))
        }
    }
#endif
