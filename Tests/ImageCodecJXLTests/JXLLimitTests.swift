#if JXL
    import Foundation
    import GeneratedImages
    import ImageCodecJXL
    import ImageCore
    import TestJXL
    import TestProfiles
    import Testing

    @Suite("Limits of JPEG XL")
    struct JXLLimitTests {
        private static let size = JXLSamples.size

        private static func limit(_ failure: DecodingFailure?) -> DecodingLimit? {
            if case .limitExceeded(let limit, let value, let allowed) = failure, value > allowed { limit } else { nil }
        }

        private static func opening(_ data: Data, _ limits: DecodingLimits = .default) -> DecodingFailure? {
            do throws(DecodingFailure) {
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
            var limits = DecodingLimits(metadataBytes: profile.count)
            #expect(try jxl.open(data, limits: limits).header.colorProfile == profile)
            limits.metadataBytes -= 1
            let header = try jxl.open(data, limits: limits).header
            #expect(header.colorProfile == nil && header.colorCalibration == nil)
        }

        @Test("the output and the working memory are limited before decoding", arguments: [false, true])
        func memory(isLossless: Bool) throws {
            var coding = TestJXL(Self.size)
            coding.isLossless = isLossless
            let data = try coding.file(JXLSamples.bytes(channels: 3))
            // Four bytes a pixel for the output, and at least four for libjxl.
            let tooSmall = DecodingLimits(decodedBytes: 8 * Self.size.area - 1)
            #expect(Self.limit(jxl.rows(data, limits: tooSmall).failure) == .decodedBytes)
            #expect(jxl.rows(data, limits: DecodingLimits(decodedBytes: 64 * Self.size.area)).failure == nil)
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
            #expect(Self.limit(Self.opening(data, DecodingLimits(pixels: Self.size.area))) == .pixels)
            #expect(Self.opening(data) == nil)
        }

        @Test("data without signature or with a damaged header is malformed, and the start of a signature is truncated")
        func damage() throws {
            let data = try TestJXL(Self.size).file(JXLSamples.bytes(channels: 3))
            #expect(Self.opening(Data("GIF89a".utf8)) == .malformed(.jxl, "the signature is missing"))
            #expect(Self.opening(Data([0, 0, 0, 12, 0x4A])) == .truncated(.jxl))
            #expect(Self.opening(data.prefix(2)) == .truncated(.jxl))
            #expect(Self.opening(TestJXL.container([])) == .truncated(.jxl))
            var damaged = data
            for index in data.count / 2..<data.count { damaged[index] = 0x55 }
            let failure = jxl.rows(damaged).failure
            #expect(failure == .malformed(.jxl, "libjxl rejected the data"))
        }
    }
#endif
