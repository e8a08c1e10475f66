// A fake of ImageIO that reads toy files.
public import CoreGraphics
import Foundation

public final class CGImageSource {
    fileprivate var file: ToyFile?
    fileprivate var type: CFString?

    fileprivate init(_ file: ToyFile?) { self.file = file }

    fileprivate func frame(_ index: Int) -> ToyFile.Frame? {
        guard let file, file.frames.indices.contains(index) else { return nil }
        return file.frames[index]
    }
}

public enum CGImageSourceStatus: Int32, Sendable {
    case statusUnexpectedEOF = -5
    case statusInvalidData, statusUnknownType, statusReadingHeader, statusIncomplete, statusComplete
}

public func CGImageSourceCopyTypeIdentifiers() -> CFArray { ToyFile.signatures.keys.sorted() }

public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? {
    CGImageSource(ToyFile(data))
}

public func CGImageSourceCreateIncremental(_ options: CFDictionary?) -> CGImageSource { CGImageSource(nil) }

public func CGImageSourceUpdateData(_ isrc: CGImageSource, _ data: CFData, _ final: Bool) {
    isrc.file = ToyFile(data)
    isrc.type = ToyFile.type(data)
}

public func CGImageSourceGetType(_ isrc: CGImageSource) -> CFString? { isrc.type }

public func CGImageSourceGetCount(_ isrc: CGImageSource) -> Int { isrc.file?.frames.count ?? 0 }

public func CGImageSourceGetPrimaryImageIndex(_ isrc: CGImageSource) -> Int { 0 }

public func CGImageSourceGetStatus(_ isrc: CGImageSource) -> CGImageSourceStatus {
    isrc.file == nil ? .statusUnknownType : .statusComplete
}

public func CGImageSourceGetStatusAtIndex(_ isrc: CGImageSource, _ index: Int) -> CGImageSourceStatus {
    guard let frame = isrc.frame(index) else { return .statusUnknownType }
    return frame.isTruncated ? .statusIncomplete : .statusComplete
}

public func CGImageSourceCopyProperties(_ isrc: CGImageSource, _ options: CFDictionary?) -> CFDictionary? {
    guard let file = isrc.file else { return [:] }
    if file.frames.count > 1, let keys = ToyFile.animationKeys(file.type) {
        let animation: [CFString: Int] = file.loopCount.map { [keys.loopCount: $0] } ?? [:]
        return [keys.dictionary: animation]
    }
    let auxiliary = [[kCGImagePropertyAuxiliaryDataType: kCGImageAuxiliaryDataTypeISOGainMap]]
    let image = file.hasGainMap ? [kCGImagePropertyAuxiliaryData: auxiliary] : [:]
    return [kCGImagePropertyFileContentsDictionary: [kCGImagePropertyImages: [image]]]
}

public func CGImageSourceCopyPropertiesAtIndex(
    _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CFDictionary? {
    guard let file = isrc.file, let frame = isrc.frame(index) else { return nil }
    var properties: CFDictionary = [
        kCGImagePropertyPixelWidth: file.width, kCGImagePropertyPixelHeight: file.height,
        kCGImagePropertyHasAlpha: file.hasAlpha, kCGImagePropertyOrientation: file.orientation,
    ]
    if let keys = ToyFile.animationKeys(file.type) {
        properties[keys.dictionary] = [keys.delay: Double(frame.hundredths) / 100]
    }
    return properties
}

public func CGImageSourceCreateImageAtIndex(
    _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
    guard let file = isrc.file, let frame = isrc.frame(index),
        options?[kCGImageSourceDecodeRequest] as? String == kCGImageSourceDecodeToSDR
    else { return nil }
    return image(file, frame.pixels, width: file.width, height: file.height)
}

public func CGImageSourceCreateThumbnailAtIndex(
    _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
    guard let file = isrc.file, let frame = isrc.frame(index), let options,
        options[kCGImageSourceCreateThumbnailFromImageAlways] as? Bool == true,
        let longest = options[kCGImageSourceThumbnailMaxPixelSize] as? Int
    else { return nil }
    let scale = min(1, Double(longest) / Double(max(file.width, file.height)))
    let width = max(1, Int(Double(file.width) * scale))
    let height = max(1, Int(Double(file.height) * scale))
    var pixels: [UInt8] = []
    for y in 0..<height {
        for x in 0..<width {
            let start = (y * file.height / height * file.width + x * file.width / width) * 4
            pixels += frame.pixels[start..<start + 4]
        }
    }
    return image(file, pixels, width: width, height: height)
}

private func image(_ file: ToyFile, _ pixels: [UInt8], width: Int, height: Int) -> CGImage? {
    let name = file.isDisplayP3 ? CGColorSpace.displayP3 : CGColorSpace.sRGB
    guard let space = CGColorSpace(name: name), let provider = CGDataProvider(data: Data(pixels)) else { return nil }
    let alpha: CGImageAlphaInfo = file.hasAlpha ? .last : .noneSkipLast
    return CGImage(
        width: width, height: height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: width * 4, space: space,
        bitmapInfo: CGBitmapInfo(rawValue: alpha.rawValue), provider: provider, decode: nil, shouldInterpolate: false,
        intent: .defaultIntent)
}
