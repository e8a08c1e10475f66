#if HEIF
    import Foundation
    import GeneratedImages
    import ImageCodecHEIF
    import ImageContractTesting
    import ImageCore
    import ImageTesting
    import Testing

    @Suite("HEIF: limits of image sequences, and files that lie")
    struct HEIFSequenceLimitTests {
        private static let moving = Result {
            try TestSequence(count: 5, options: "bframes=2:b-adapt=0:qp=40:ctu=16")
        }
        private let moving: TestSequence

        init() throws { moving = try Self.moving.get() }

        /// Returns the file with other numbers of 32 bits in a box, at places counted from its first field.
        private func file(_ box: String, _ numbers: [Int: Int]) throws -> Data {
            var file = moving.file()
            let start = try #require(file.firstRange(of: Data(box.utf8))).upperBound
            for (place, number) in numbers {
                file.replaceSubrange(start + 4 * place..<start + 4 * place + 4, with: HEIFBuilder.number(number))
            }
            return file
        }

        @Test("the contract of decoders holds", arguments: ImageDecoderContract.rules)
        func contract(_ rule: ContractRule<ImageDecoderContract.Subject>) async throws {
            let file = ImageDecoderContract.Sample("moving", moving.file(), storedSize: moving.size, frameCount: 5)
            try await rule.check(.init(HEIFDecoder(), samples: [file]))
        }

        @Test("numbers of 0, of 2^32 - 1 and beyond the file are refused without the memory that they ask for")
        func lies() throws {
            let largest = 0xFFFF_FFFF
            let opening: [(String, [Int: Int])] = [
                ("stsz", [2: 0]), ("stsz", [2: largest]), ("stsz", [2: 6]), ("stsz", [1: largest]),
                ("stsz", [3: largest]),
                ("stco", [1: 0]), ("stco", [1: 4]), ("stsc", [3: 0]), ("stsc", [2: 2]), ("stsc", [4: 2]),
                ("stsc", [1: 0]),
                ("stts", [1: largest, 2: 0]), ("ctts", [1: largest, 2: 0]), ("stsd", [1: 0, 3: 0]),
            ]
            for (box, numbers) in opening {
                let failure = heif.failure(try file(box, numbers), frame: 4)
                #expect(failure != nil && failure != .noSuchFrame(4, frameCount: 1), "\(box) \(numbers)")
            }
            // Runs of no samples and of more than there are.
            for (box, numbers) in [("stts", [2: largest]), ("ctts", [2: largest])] {
                #expect(try heif.header(of: file(box, numbers)).frameDelays.count == 5, "\(box) \(numbers)")
            }
            #expect(heif.failure(try file("stco", [2: 0])) != nil)
            #expect(heif.failure(try file("stco", [2: largest])) == .truncated(.heic))
            #expect(heif.failure(try file("stsz", [3: 0])) == .malformed(.heic, "an image has no slices"))
        }

        @Test("a sample whose position overflows is malformed")
        func largestPosition() throws {
            var file = moving.file { $0.tracks[0].hasLargeOffsets = true }
            let position = try #require(file.firstRange(of: Data("co64".utf8))).upperBound + 8
            file.replaceSubrange(position..<position + 8, with: HEIFBuilder.number(.max, 8))
            #expect(heif.failure(file) == .malformed(.heic, "a sample has an invalid position"))
        }

        @Test("frames and memory are limited, and samples that share their data are refused")
        func limits() throws {
            let file = moving.file()
            #expect(
                heif.failure(file, limits: DecodingLimits(maxFrames: 4))
                    == .limitExceeded(.frames, value: 5, allowed: 4))
            let aperture = HEIFBuilder.aperture(PixelSize(width: 8, height: 8), offset: (0, 0))
            let cropped = moving.file { $0.tracks[0].entryBoxes += HEIFBuilder.box("clap", aperture) }
            for file in [file, cropped] {
                #expect(
                    heif.failure(file, limits: DecodingLimits(maxPixels: 4095))
                        == .limitExceeded(.pixels, value: 4096, allowed: 4095))
            }
            let image = try heif.open(file)
            // 17 pictures with information about blocks, and 3 to 4 more pictures, of 6,144 bytes.
            let held = image.heldByteCount(frame: 0, size: moving.size, layout: .rgba8)
            #expect(held == (2 * 17 + 3) * 6144 || held == (2 * 17 + 4) * 6144)
            #expect(heif.failure(file, limits: DecodingLimits(decodedByteLimit: held)) == nil)
            #expect(
                heif.failure(file, limits: DecodingLimits(decodedByteLimit: held - 1))
                    == .limitExceeded(.decodedBytes, value: held, allowed: held - 1))
            // A frame that needs no other is held with its blocks, a copy for filters, and the result.
            let coded = try TestPlanes(size: moving.size, chroma: 1, bitDepth: 8).encoded()
            let single = try heif.open(HEIFSequenceBuilder(.init([coded])).file())
            #expect(single.heldByteCount(frame: 0, size: moving.size, layout: .rgba8) == 4 * 6144)
            #expect(single.header.frameDelays.isEmpty)
            let shared = moving.file { $0.tracks[0].samples = Array(repeating: $0.tracks[0].samples[0], count: 5) }
            let chunks = try #require(shared.firstRange(of: Data("stco".utf8))).upperBound + 8
            var lying = shared
            for chunk in 1..<5 {
                lying.replaceSubrange(chunks + 4 * chunk..<chunks + 4 * chunk + 4, with: shared[chunks..<chunks + 4])
            }
            lying.removeLast(4 * moving.track.samples[0].count)
            #expect(heif.failure(lying) == .malformed(.heic, "the samples of a track overlap"))
        }

        @Test("frames whose reference pictures are missing are malformed, not gray")
        func missingReferences() throws {
            let file = moving.file { builder in
                builder.tracks[0].samples.removeFirst()
                builder.tracks[0].delays.removeFirst()
                builder.tracks[0].durations = [(4, 40)]
            }
            #expect(heif.failure(file) == .malformed(.heic, "libde265 rejected the data"))
        }

        @Test("the complete frames of a truncated file are delivered")
        func truncation() throws {
            let file = moving.file()
            let image = try heif.open(file.prefix(file.count - moving.track.samples[4].count))
            let lost = moving.order[4]
            for frame in 0..<5 {
                if frame == lost {
                    #expect(throws: ImageDecodingError.truncated(.heic)) { try heif.pixels(image, frame: frame) }
                } else {
                    let pixels = try heif.pixels(image, frame: frame)
                    #expect((0..<4096).allSatisfy { pixels[4 * $0] == moving.frames[frame][$0] }, "frame \(frame)")
                }
            }
            let movie = try #require(file.firstRange(of: Data("mdat".utf8))).lowerBound - 5
            #expect(heif.failure(file.prefix(movie)) == .truncated(.heic))
        }

        @Test("a frame may be shown before 16 frames that are decoded before it, not before 17")
        func order() {
            func failure(_ count: Int) -> ImageDecodingError? {
                heif.failure(
                    moving.file {
                        $0.tracks[0].samples = Array(repeating: $0.tracks[0].samples[0], count: count + 1)
                        $0.tracks[0].durations = [(count + 1, 40)]
                        $0.tracks[0].delays = Array(repeating: 40 * count + 20, count: count) + [0]
                    })
            }
            #expect(failure(16) == nil)
            #expect(failure(17) == .malformed(.heic, "frames are shown in another order than HEVC allows"))
        }
    }
#endif
