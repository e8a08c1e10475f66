// A fake of ImageIO that writes toy files.
public import CoreGraphics
import Foundation

public final class CGImageDestination {
    fileprivate let output: CFMutableData
    fileprivate let count: Int
    fileprivate var file: ToyFile

    fileprivate init(_ output: CFMutableData, _ type: CFString, _ count: Int) {
        self.output = output
        self.count = count
        file = ToyFile(type: type, width: 0, height: 0, frames: [])
    }
}

public func CGImageDestinationCopyTypeIdentifiers() -> CFArray {
    ToyFile.signatures.keys.filter { $0 != "org.webmproject.webp" }.sorted()
}

public func CGImageDestinationCreateWithData(
    _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
    CGImageDestinationCopyTypeIdentifiers().contains { $0 as? String == type }
        ? CGImageDestination(data, type, count) : nil
}

public func CGImageDestinationAddImage(_ idst: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?) {
    guard let pixels = image.dataProvider?.data else { return }
    let keys = ToyFile.animationKeys(idst.file.type)
    let animation = keys.flatMap { properties?[$0.dictionary] as? [String: Any] }
    let seconds = keys.flatMap { animation?[$0.writtenDelay] as? Double } ?? 0
    let jpeg = properties?[kCGImagePropertyJFIFDictionary] as? [String: Any]
    let png = properties?[kCGImagePropertyPNGDictionary] as? [String: Any]
    idst.file.isProgressive =
        jpeg?[kCGImagePropertyJFIFIsProgressive] as? Bool == true
        || png?[kCGImagePropertyPNGInterlaceType] as? Int == 1
    idst.file.width = image.width
    idst.file.height = image.height
    idst.file.isDisplayP3 = image.colorSpace?.name == CGColorSpace.displayP3
    idst.file.hasAlpha = image.bitmapInfo.rawValue == CGImageAlphaInfo.last.rawValue
    idst.file.frames.append(ToyFile.Frame(hundredths: Int((seconds * 100).rounded()), pixels: [UInt8](pixels)))
}

public func CGImageDestinationSetProperties(_ idst: CGImageDestination, _ properties: CFDictionary?) {
    guard let keys = ToyFile.animationKeys(idst.file.type) else { return }
    let animation = properties?[keys.dictionary] as? [String: Any]
    idst.file.loopCount = animation?[keys.loopCount] as? Int
}

public func CGImageDestinationFinalize(_ idst: CGImageDestination) -> Bool {
    guard idst.file.frames.count == idst.count else { return false }
    idst.output.append(idst.file.data)
    return true
}
