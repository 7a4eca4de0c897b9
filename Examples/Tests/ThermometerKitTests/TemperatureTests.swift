import Foundation
import Testing
import ThermometerKit

struct TemperatureTests {
  @Test(arguments: [36.6, -12.5, 0, 104.1]) func valuesAreReadAsTheyWereWritten(_ celsius: Double) throws {
    let temperature = try #require(Temperature(Temperature(celsius: celsius).data))
    #expect(abs(temperature.celsius - celsius) < 0.001)
  }

  @Test func fahrenheitIsConverted() throws {
    // 98.6 °F.
    let temperature = try #require(Temperature(Data([1, 0xDA, 0x03, 0, 0xFF])))
    #expect(abs(temperature.celsius - 37) < 0.001)
  }

  @Test(arguments: [[], [0, 1, 2, 3], [0, 0xFF, 0xFF, 0x7F, 0]] as [[UInt8]]) func othersAreNone(_ bytes: [UInt8]) {
    #expect(Temperature(Data(bytes)) == nil)
  }
}
