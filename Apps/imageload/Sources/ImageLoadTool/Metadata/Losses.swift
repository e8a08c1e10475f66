import Foundation
import ImageCore
import ImageDecoding
import ImageMetadata

extension DownsamplingDecoder {
    /// Returns what a file with a header has and another one, made from it, hasn't.
    func losses(
        from source: Data, _ header: ImageHeader, to result: Data
    ) throws(ImageDecodingError) -> Set<ConversionLoss> {
        func contents(_ file: Data, _ header: ImageHeader) -> Set<ConversionLoss> {
            ConversionLoss.possible(in: file, header: header, gamut: gamut(of: header))
        }
        return try contents(source, header).subtracting(contents(result, self.header(of: result)))
    }
}
