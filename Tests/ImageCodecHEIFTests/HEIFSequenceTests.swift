#if HEIF
    import Foundation
    import GeneratedImages
    import ImageContractTesting
    import ImageCore
    import ImageTesting
    import Testing

    @Suite("HEIF: image sequences")
    struct HEIFSequenceTests {
        /// Seven frames that refer to others, some to later ones, with filters, in two groups.
        private static let moving = Result {
            try TestSequence(count: 7, options: "bframes=2:b-adapt=0:keyint=5:qp=30:ctu=16")
        }
        private let moving: TestSequence

        init() throws { moving = try Self.moving.get() }

        private func gray(_ pixels: [UInt8]) -> [UInt8] { stride(from: 0, to: pixels.count, by: 4).map { pixels[$0] } }

        /// Returns a track with an image for each seed.
        private func still(_ seeds: Int..., chroma: Int = 1, bitDepth: Int = 8) throws -> HEIFSequenceBuilder.Track {
            .init(
                try seeds.map {
                    try TestPlanes(
                        size: PixelSize(width: 64, height: 64), chroma: chroma, bitDepth: bitDepth, seed: $0
                    ).encoded()
                })
        }

        @Test("the frames are those of the encoder, in the order in which they are shown, decoded in any order")
        func frames() throws {
            #expect(moving.order != Array(0..<7), "the encoder reorders no frames")
            let image = try heif.open(moving.file())
            #expect(image.header.frameCount == 7 && image.header.storedSize == moving.size)
            #expect(image.header.frameDelays == Array(repeating: .milliseconds(40), count: 7))
            for frame in Array(0..<7) + [6, 3, 5, 0, 0, 4, 1, 2] {
                let difference = try gray(heif.pixels(image, frame: frame)).largestDifference(to: moving.frames[frame])
                #expect(difference == 0, "frame \(frame)")
            }
        }

        @Test("more frames than the 17 pictures that are held may depend on each other")
        func chain() throws {
            let chain = try TestSequence.chain(count: 40)
            let image = try heif.open(chain.file())
            for frame in 0..<40 {
                let difference = try gray(heif.pixels(image, frame: frame)).largestDifference(to: chain.frames[frame])
                #expect(difference == 0, "frame \(frame)")
            }
        }

        @Test("decoding the frames in order decodes each picture once")
        func sequential() throws {
            let image = try heif.open(moving.file())
            var checks = 0
            for frame in 0..<7 {
                let sink = CancellingSink()
                try image.decode(frame: frame, size: moving.size, layout: .rgba8, into: sink)
                checks += sink.checks
            }
            // One for each picture, and one for the strip of each frame.
            #expect(checks == 14)
            let sink = CancellingSink(atCheck: 2)
            #expect(throws: ImageDecodingError.cancelled) {
                try image.decode(frame: 3, size: moving.size, layout: .rgba8, into: sink)
            }
            #expect(try gray(heif.pixels(image, frame: 3)) == moving.frames[3], "after a cancelled decode")
        }

        @Test("delays follow from durations and from the times at which samples are shown")
        func delays() throws {
            var track = try still(0, 20, 40)
            track.durations = [(1, 5), (1, 30)]
            let header = try heif.header(of: HEIFSequenceBuilder(track).file())
            #expect(header.frameDelays == [.milliseconds(100), .milliseconds(30), .milliseconds(30)])
            // Decoded at 0, 50 and 100, shown at 200, 70 and 130.
            track.durations = [(3, 50)]
            track.delays = [200, 20, 30]
            let image = try heif.open(HEIFSequenceBuilder(track).file())
            #expect(image.header.frameDelays == [.milliseconds(60), .milliseconds(70), .milliseconds(50)])
            let plain = try heif.open(HEIFSequenceBuilder(still(20, 40, 0)).file())
            for frame in 0..<3 { #expect(try heif.pixels(image, frame: frame) == heif.pixels(plain, frame: frame)) }
            // The first sample is shown last, for its own duration.
            track.durations = [(1, 40), (1, 50), (1, 60)]
            track.delays = [200, 0, 0]
            let last = try heif.header(of: HEIFSequenceBuilder(track).file())
            #expect(last.frameDelays == [.milliseconds(50), .milliseconds(110), .milliseconds(40)])
            // The last sample is shown before the second one.
            track.durations = [(3, 50)]
            track.delays = [0, 0, -80]
            let early = try heif.header(of: HEIFSequenceBuilder(track).file())
            #expect(early.frameDelays == [.milliseconds(20), .milliseconds(30), .milliseconds(50)])
        }

        @Test("an edit list that repeats says how often; without one the frames repeat forever")
        func loops() throws {
            func count(_ edits: (flags: Int, segment: Int, total: Int)?) throws -> Int {
                try heif.header(of: moving.file { $0.tracks[0].edits = edits }).loopCount
            }
            #expect(try count(nil) == 0 && count((1, 280, 840)) == 3 && count((0, 280, 280)) == 1)
            #expect(try count((1, 280, 0xFFFF_FFFF)) == 0)
        }

        @Test("the times of a file have 32 or 64 bits")
        func largeTimes() throws {
            let file = moving.file {
                $0.tracks[0].hasLargeTimes = true
                $0.tracks[0].edits = (1, 280, 840)
                $0.tracks[0].matrix = [0, 1, -1, 0]
            }
            let header = try heif.header(of: file)
            #expect(header.orientation == .right)
            #expect(header.loopCount == 3)
            #expect(header.frameDelays == Array(repeating: .milliseconds(40), count: 7))
        }

        @Test("each subsampling and depth is converted as that of a still image", arguments: [0, 1, 2, 3], [8, 10])
        func codings(chroma: Int, bitDepth: Int) throws {
            let planes = TestPlanes(size: moving.size, chroma: chroma, bitDepth: bitDepth, seed: 20)
            var track = try still(0, 20, chroma: chroma, bitDepth: bitDepth)
            let color = HEIFBuilder.color(primaries: 12, transfer: 13, matrix: 1, isFullRange: false)
            track.entryBoxes = HEIFBuilder.box("colr", color)
            let image = try heif.open(HEIFSequenceBuilder(track).file())
            #expect(image.header.color == SourceColor(primaries: .displayP3))
            let single = try HEIFBuilder.still(planes, matrix: 1, isFullRange: false, primaries: 12)
            #expect(try heif.pixels(image, frame: 1) == heif.pixels(single))
        }

        @Test("HDR that only the HEVC data declares is refused")
        func undeclaredHDR() throws {
            var sequence = try TestSequence(
                count: 1, options: "colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc")
            let declared = sequence.file()
            #expect(heif.failure(declared) == nil)
            sequence.track.entryBoxes = Data()
            #expect(heif.failure(sequence.file()) == .unsupported(.heic, "HDR without a color property"))
        }

        @Test("the matrix of a track turns it, and its clean aperture is cut out")
        func transformations() throws {
            let aperture = HEIFBuilder.aperture(PixelSize(width: 40, height: 20), offset: (0, 0))
            for (matrix, orientation) in [
                ([1, 0, 0, 1], .up), ([0, 1, -1, 0], .right), ([-1, 0, 0, -1], .down), ([0, -1, 1, 0], .left),
            ] as [([Int], ImageOrientation)] {
                let file = moving.file {
                    $0.tracks[0].matrix = matrix
                    $0.tracks[0].entryBoxes += HEIFBuilder.box("clap", aperture)
                }
                let image = try heif.open(file)
                #expect(image.header.orientation == orientation)
                #expect(image.header.storedSize == PixelSize(width: 40, height: 20))
                let pixels = try gray(heif.pixels(image))
                #expect(pixels.prefix(40) == moving.frames[0][22 * 64 + 12..<22 * 64 + 52])
            }
            // The matrix follows 40 bytes of the header.
            for (place, number) in [(0, 0x2_0000), (1, 0x8000), (3, 0x8000), (4, 0x1_8000)] {
                var skewed = moving.file()
                let matrix = try #require(skewed.firstRange(of: Data("tkhd".utf8))).upperBound + 40 + 4 * place
                skewed.replaceSubrange(matrix..<matrix + 4, with: HEIFBuilder.number(number))
                #expect(heif.failure(skewed) == .unsupported(.heic, "a sequence that is not rotated by quarter turns"))
            }
        }

        @Test("alpha is a track that belongs to the frames, other auxiliary tracks are ignored")
        func alpha() throws {
            func file(_ type: String, target: Int = 1, count: Int = 2) throws -> Data {
                var alpha = try still(30, 50, chroma: 0)
                alpha.samples = Array(alpha.samples.prefix(count))
                alpha.entryBoxes = HEIFBuilder.box("auxi", Data(count: 4) + Data("\(type)\0".utf8))
                alpha.reference = HEIFBuilder.box("tref", HEIFBuilder.box("auxl", HEIFBuilder.number(target)))
                return HEIFSequenceBuilder(try still(0, 20), alpha).file()
            }
            let image = try heif.open(file("urn:mpeg:hevc:2015:auxid:1"))
            #expect(image.header.hasAlpha && image.header.frameCount == 2)
            // The color alone is four pictures of 6,144 bytes.
            #expect(image.heldByteCount(frame: 0, size: moving.size, layout: .rgba8) > 4 * 6144)
            let mask = TestPlanes(size: moving.size, chroma: 0, bitDepth: 8, seed: 50)
            let pixels = try heif.pixels(image, frame: 1)
            #expect((0..<64).allSatisfy { pixels[4 * $0 + 3] == UInt8(mask.sample(0, $0, 0)) })
            #expect(try !heif.header(of: file("urn:mpeg:hevc:2015:auxid:2")).hasAlpha)
            #expect(try !heif.header(of: file("urn:mpeg:hevc:2015:auxid:1", target: 3)).hasAlpha)
            let failure = heif.failure(try file("urn:mpeg:hevc:2015:auxid:1", count: 1))
            #expect(failure == .unsupported(.heic, "alpha of another size or number of frames"))
        }

        @Test("premultiplied frames are divided by their alpha")
        func premultiplied() throws {
            func pixels(_ reference: Data) throws -> [Int] {
                var (color, alpha) = (try still(20), try still(50, chroma: 0))
                color.reference = reference
                alpha.reference = HEIFBuilder.box("tref", HEIFBuilder.box("auxl", HEIFBuilder.number(1)))
                return try heif.pixels(HEIFSequenceBuilder(color, alpha).file()).map(Int.init)
            }
            let straight = try pixels(Data())
            let divided = try pixels(HEIFBuilder.box("tref", HEIFBuilder.box("prem", HEIFBuilder.number(2))))
            for index in straight.indices where index % 4 < 3 {
                let alpha = straight[index - index % 4 + 3]
                let expected = alpha == 0 ? 0 : min(255, (straight[index] * 255 + alpha / 2) / alpha)
                try #require(divided[index] == expected, "sample \(index)")
            }
        }

        @Test("a track of thumbnails or of depth is not shown", arguments: ["thmb", "vdep"])
        func otherTracks(reference: String) throws {
            var other = try still(0)
            other.reference = HEIFBuilder.box("tref", HEIFBuilder.box(reference, HEIFBuilder.number(2)))
            #expect(try heif.header(of: HEIFSequenceBuilder(other, still(20, 40)).file()).frameCount == 2)
        }

        @Test("the brand says whether the items or the sequence of a file are shown")
        func brands() throws {
            let still = try HEIFBuilder.still(TestPlanes(size: moving.size, chroma: 1, bitDepth: 8))
            let meta = try #require(still.firstRange(of: Data("meta".utf8))).lowerBound - 4
            let data = try #require(still.firstRange(of: Data("mdat".utf8))).lowerBound - 4
            for (brand, count) in ["hevc": 7, "msf1": 7, "heic": 1, "mif1": 1] {
                let file = moving.file {
                    $0.brand = brand
                    $0.items = still[meta..<data]
                }
                #expect(try heif.header(of: file).frameCount == count, "\(brand)")
            }
            #expect(try heif.header(of: moving.file { $0.brand = "heic" }).frameCount == 7)
        }

        @Test("samples are found in chunks of any length, with offsets of 32 and 64 bits")
        func chunks() throws {
            let expected = try heif.pixels(heif.open(moving.file()), frame: 6)
            for (count, isLarge) in [(1, true), (2, false), (3, true), (7, false), (100, false)] {
                let file = moving.file {
                    $0.tracks[0].samplesPerChunk = count
                    $0.tracks[0].hasLargeOffsets = isLarge
                }
                #expect(try heif.pixels(heif.open(file), frame: 6) == expected, "\(count) samples in a chunk")
            }
        }
    }
#endif
