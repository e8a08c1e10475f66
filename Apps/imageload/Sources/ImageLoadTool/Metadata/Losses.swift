import Foundation
import ImageCore
import ImageDecoding
import ImageMetadata

extension DownsamplingDecoder {
    /// Returns what a file has and another one, made from it, hasn't.
    func losses(from source: Data, to result: Data) throws(ImageDecodingError) -> Set<ConversionLoss> {
        func contents(_ file: Data) throws(ImageDecodingError) -> Set<ConversionLoss> {
            let header = try header(of: file)
            return ConversionLoss.possible(in: file, header: header, gamut: gamut(of: header))
        }
        return try contents(source).subtracting(contents(result))
    }
}

extension Set<ConversionLoss> {
    /// In the order of their declaration.
    var inOrder: [ConversionLoss] { ConversionLoss.allCases.filter(contains) }
}
