import FoundationEssentials
import ImageCodecGIF
import ImageColorManagement
import ImageContractTesting
import ImageCore
import ImageDecoding

/// Checks that the registry and the decoders agree on the format of a file.
struct FormatSnifferCheck {
    private let decoder = DownsamplingDecoder(
        decoders: FuzzTarget.decoders, limits: HostileInputCheck.smallLimits)

    func check(_ data: Data) throws(ContractViolation) {
        let prefix = Data(data.prefix(FileSignature.byteCount))
        let formats = FuzzTarget.decoders.filter { $0.recognizes(prefix) }.map(\.format)
        try expect(formats.count <= 1, "recognized as \(formats)")
        switch Result(catching: { () throws(ImageDecodingError) in try decoder.header(of: data) }) {
        case .success(let header):
            try expect([header.format] == formats, "\(header.format), but recognized as \(formats)")
        case .failure(let failure):
            // The first bytes don't show whether XML is an SVG.
            guard formats != [.svg] else { return }
            try expect((failure == .unknownFormat) == formats.isEmpty, "\(failure), but recognized as \(formats)")
        }
    }
}

/// Checks decoding to a small size, with color conversion and resampling.
struct PipelineCheck {
    private let decoder = DownsamplingDecoder(
        decoders: FuzzTarget.decoders, colorConverter: LittleCMSColorConverter(),
        limits: HostileInputCheck.smallLimits)

    func check(_ data: Data) throws(ContractViolation) {
        for mode in ImageTarget.Mode.allCases {
            for preference in DecodingPreference.allCases {
                let target = ImageTarget(PixelSize(width: 13, height: 7), mode: mode, preference: preference)
                for acceptsTruncated in [false, true] {
                    try check(data, DecodingRequest(target: target, acceptsTruncated: acceptsTruncated))
                }
            }
        }
        try check(data, DecodingRequest())
    }

    private func check(_ data: Data, _ request: DecodingRequest) throws(ContractViolation) {
        let (first, second) = (outcome(data, request), outcome(data, request))
        try expect(first == second, "different results for the same bytes and \(request)")
        switch first {
        case .success(let image):
            let expected = request.outputSize(for: image.header.size)
            try expect(image.bitmap.size == expected, "\(image.bitmap.size) instead of \(expected) for \(request)")
        case .failure(.noSuchFrame), .failure(.cancelled):
            throw ContractViolation("\(first) for \(request)")
        case .failure: break
        }
    }

    private func outcome(_ data: Data, _ request: DecodingRequest) -> Result<DecodedImage, ImageDecodingError> {
        Result { () throws(ImageDecodingError) in try decoder.decode(data, request: request) }
    }
}
